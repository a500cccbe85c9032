//! Rows as Parquet.

use std::io::{self, Write};
use std::sync::Arc;

use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::parser::parse_message_type;

use crate::row::{COLUMNS, Column, ColumnKind, Row, Value};

/// Writes rows as a Parquet file of one row group, not compressed, with the columns of [`COLUMNS`]: integers
/// as `INT64` without sign, numbers as `DOUBLE`, texts as `STRING`. A number that there is not is null.
///
/// # Errors
/// If the writer does not take all of it.
pub fn write_parquet(writer: impl Write + Send, rows: &[Row]) -> io::Result<()> {
    write_file(writer, rows).map_err(|error| match error {
        ParquetError::External(source) => match source.downcast() {
            // The writer's own.
            Ok(error) => *error,
            Err(source) => io::Error::other(source),
        },
        error => io::Error::other(error),
    })
}

fn write_file(writer: impl Write + Send, rows: &[Row]) -> Result<(), ParquetError> {
    let schema = Arc::new(parse_message_type(&schema())?);
    let properties = Arc::new(WriterProperties::builder().build());
    let mut file = SerializedFileWriter::new(writer, schema, properties)?;
    let mut group = file.next_row_group()?;
    for (place, column) in COLUMNS.iter().enumerate() {
        let values = rows
            .iter()
            .filter_map(|row| row.values().get(place).copied().map(Own::from));
        let values: Vec<Own> = values.collect();
        if let Some(mut writer) = group.next_column()? {
            write(&mut writer, column, &values)?;
            writer.close()?;
        }
    }
    group.close()?;
    file.close()?;
    Ok(())
}

/// The columns in the language of Parquet.
fn schema() -> String {
    let columns = COLUMNS.iter().map(|column| {
        let name = column.name;
        match column.kind {
            ColumnKind::Integer => format!("required int64 {name} (integer(64,false));"),
            ColumnKind::Real => format!("required double {name};"),
            ColumnKind::Optional => format!("optional double {name};"),
            ColumnKind::Text => format!("required binary {name} (string);"),
        }
    });
    format!("message sweep {{ {} }}", columns.collect::<String>())
}

/// A value of its own.
enum Own {
    Integer(i64),
    Real(Option<f64>),
    Text(ByteArray),
}

impl From<Value<'_>> for Own {
    fn from(value: Value<'_>) -> Self {
        match value {
            // The same 64 bits, which the column's type reads without a sign.
            Value::Integer(integer) => Self::Integer(integer.cast_signed()),
            Value::Real(number) => Self::Real(number),
            Value::Text(text) => Self::Text(text.as_bytes().to_vec().into()),
        }
    }
}

fn write(
    writer: &mut SerializedColumnWriter<'_>,
    column: &Column,
    values: &[Own],
) -> Result<(), ParquetError> {
    match column.kind {
        ColumnKind::Integer => {
            let integers = values.iter().filter_map(|value| match value {
                Own::Integer(integer) => Some(*integer),
                _ => None,
            });
            let integers: Vec<i64> = integers.collect();
            writer
                .typed::<Int64Type>()
                .write_batch(&integers, None, None)?;
        }
        ColumnKind::Real | ColumnKind::Optional => {
            let numbers = values.iter().filter_map(|value| match value {
                Own::Real(number) => Some(*number),
                _ => None,
            });
            let numbers: Vec<Option<f64>> = numbers.collect();
            let levels: Vec<i16> = numbers
                .iter()
                .map(|number| number.is_some().into())
                .collect();
            let numbers: Vec<f64> = numbers.into_iter().flatten().collect();
            let levels = (column.kind == ColumnKind::Optional).then_some(levels.as_slice());
            writer
                .typed::<DoubleType>()
                .write_batch(&numbers, levels, None)?;
        }
        ColumnKind::Text => {
            let texts = values.iter().filter_map(|value| match value {
                Own::Text(text) => Some(text.clone()),
                _ => None,
            });
            let texts: Vec<ByteArray> = texts.collect();
            writer
                .typed::<ByteArrayType>()
                .write_batch(&texts, None, None)?;
        }
    }
    Ok(())
}
