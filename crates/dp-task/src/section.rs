//! Sections with a `type`.

/// A section of a document with a `type`: an enum of what each type has for fields, and a plain one of
/// the types by name.
///
/// It is written with `type` among the fields, and read from a [`Table`](crate::table::Table), in which
/// a field that another type has is refused.
macro_rules! section {
    (
        $(#[$section_doc:meta])* $section:ident
        $(#[$kind_doc:meta])* $kind:ident {
            $($(#[$variant_doc:meta])* $variant:ident = $name:literal {
                $($(#[$field_doc:meta])* $field:ident: $type:ty,)*
            },)+
        }
    ) => {
        $(#[$section_doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Serialize)]
        #[serde(tag = "type")]
        pub enum $section {
            $(
                $(#[$variant_doc])*
                #[serde(rename = $name)]
                $variant { $($(#[$field_doc])* $field: $type,)* },
            )+
        }

        impl $section {
            /// The type.
            #[must_use]
            pub const fn kind(&self) -> $kind {
                match self {
                    $(Self::$variant { .. } => $kind::$variant,)+
                }
            }

            /// The section of this name, if it occurs.
            pub(crate) fn section(document: &mut Table, name: &str) -> Result<Option<Self>, Refusal> {
                let section = document.section(name)?.map(Self::read).transpose();
                section.map_err(|refusal| refusal.within(name))
            }

            fn read(mut table: Table) -> Result<Self, Refusal> {
                match table.tag(&[$($name),+])? {
                    $($name => {
                        table.only($kind::$variant.fields(), concat!("with ", $name))?;
                        Ok(Self::$variant { $($field: table.take(stringify!($field))?,)* })
                    })+
                    other => Err(serde::de::Error::custom(other)),
                }
            }
        }

        $(#[$kind_doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $kind {
            $($(#[$variant_doc])* $variant,)+
        }

        impl $kind {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$variant,)+];

            /// The name in a document.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }

            /// The fields beside the type.
            #[must_use]
            pub const fn fields(self) -> &'static [&'static str] {
                match self {
                    $(Self::$variant => &[$(stringify!($field)),*],)+
                }
            }
        }

        impl std::fmt::Display for $kind {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.pad(self.name())
            }
        }
    };
}

pub(crate) use section;
