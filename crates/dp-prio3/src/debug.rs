//! `Debug` of secrets, of stores and of hashes, and `Display` of hashes.
#![cfg(feature = "parties")]

/// `Debug` that shows the type's name and nothing of its content.
macro_rules! opaque_debug {
    ($($name:ident),*) => {$(
        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(concat!(stringify!($name), "(..)"))
            }
        }
    )*};
}

/// `Display` and `Debug` that show the 32 bytes of a type in hexadecimal digits.
macro_rules! hexadecimal {
    ($($name:ident),*) => {$(
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&dp_exact::hexadecimal(&self.0))
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self)
            }
        }
    )*};
}
