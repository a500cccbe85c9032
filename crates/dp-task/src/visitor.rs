//! What is done with a policy, whichever it turns out to be.

use dp_exact::ParameterError;
use dp_prio3::DpPolicy;

use crate::Error;

/// Takes the policy of a task. Which policy it is, the document decides, so a visitor is generic;
/// what is measured decides which method is called.
///
/// Implement the methods for the measurements that your program makes. The others refuse the
/// task, with an error that names `vdaf.type`.
pub trait PolicyVisitor: Sized {
    /// What the visit yields.
    type Output;

    /// A yes or no: Prio3Count.
    ///
    /// # Errors
    /// Not taken, unless implemented.
    fn visit_bit<P>(self, policy: P) -> Result<Self::Output, Error>
    where
        P: DpPolicy<Measurement = bool> + 'static,
    {
        not_taken(&policy)
    }

    /// An integer of 64 bits: Prio3Sum.
    ///
    /// # Errors
    /// Not taken, unless implemented.
    fn visit_u64<P>(self, policy: P) -> Result<Self::Output, Error>
    where
        P: DpPolicy<Measurement = u64> + 'static,
    {
        not_taken(&policy)
    }

    /// An integer of 128 bits: Prio3Average.
    ///
    /// # Errors
    /// Not taken, unless implemented.
    fn visit_u128<P>(self, policy: P) -> Result<Self::Output, Error>
    where
        P: DpPolicy<Measurement = u128> + 'static,
    {
        not_taken(&policy)
    }

    /// A bucket, from 0: Prio3Histogram.
    ///
    /// # Errors
    /// Not taken, unless implemented.
    fn visit_bucket<P>(self, policy: P) -> Result<Self::Output, Error>
    where
        P: DpPolicy<Measurement = usize> + 'static,
    {
        not_taken(&policy)
    }

    /// A vector of bits: Prio3MultihotCountVec.
    ///
    /// # Errors
    /// Not taken, unless implemented.
    fn visit_bits<P>(self, policy: P) -> Result<Self::Output, Error>
    where
        P: DpPolicy<Measurement = [bool]> + 'static,
    {
        not_taken(&policy)
    }

    /// A vector of integers: Prio3SumVec, Prio3L1BoundSum.
    ///
    /// # Errors
    /// Not taken, unless implemented.
    fn visit_integers<P>(self, policy: P) -> Result<Self::Output, Error>
    where
        P: DpPolicy<Measurement = [u128]> + 'static,
    {
        not_taken(&policy)
    }
}

fn not_taken<P: DpPolicy, T>(policy: &P) -> Result<T, Error> {
    let name = policy.name();
    let vdaf = name.split(' ').next().unwrap_or_default();
    let accepted = "a VDAF whose measurements this program makes";
    Err(ParameterError::new("vdaf.type", vdaf, accepted).into())
}

/// A measurement, which knows its method of a visitor.
pub(crate) trait Accept {
    fn accept<P, V>(visitor: V, policy: P) -> Result<V::Output, Error>
    where
        P: DpPolicy<Measurement = Self> + 'static,
        V: PolicyVisitor;
}

macro_rules! accept {
    ($($measurement:ty, $method:ident;)*) => {$(
        impl Accept for $measurement {
            fn accept<P, V>(visitor: V, policy: P) -> Result<V::Output, Error>
            where
                P: DpPolicy<Measurement = Self> + 'static,
                V: PolicyVisitor,
            {
                visitor.$method(policy)
            }
        }
    )*};
}

accept! {
    bool, visit_bit;
    u64, visit_u64;
    u128, visit_u128;
    usize, visit_bucket;
    [bool], visit_bits;
    [u128], visit_integers;
}
