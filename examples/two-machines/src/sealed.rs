//! Encryption for one recipient by HPKE (RFC 9180), as DAP encrypts: DHKEM(X25519, HKDF-SHA256),
//! HKDF-SHA256, ChaCha20Poly1305.

use hpke::aead::ChaCha20Poly1305;
use hpke::kdf::HkdfSha256;
use hpke::kem::X25519HkdfSha256;
use hpke::{Deserializable as _, Kem, OpModeR, OpModeS, Serializable as _};

use crate::Outcome;

/// The bytes of an encapsulated key, which precede the encrypted message.
const ENCAPSULATED: usize = 32;

/// A fresh private key, and its public key.
pub(crate) fn keys() -> [Vec<u8>; 2] {
    let (private, public) = X25519HkdfSha256::gen_keypair();
    [private.to_bytes().to_vec(), public.to_bytes().to_vec()]
}

/// The message, encrypted for the owner of the public key. It opens for the same `purpose`, such as
/// the role of the recipient, and the same `task` alone. `Err` if the key is none.
pub(crate) fn seal(key: &[u8], purpose: &str, task: &[u8], message: &[u8]) -> Outcome<Vec<u8>> {
    let key = <X25519HkdfSha256 as Kem>::PublicKey::from_bytes(key)?;
    let (encapsulated, encrypted) = hpke::single_shot_seal::<ChaCha20Poly1305, HkdfSha256, _>(
        &OpModeS::<X25519HkdfSha256>::Base,
        &key,
        purpose.as_bytes(),
        message,
        task,
    )?;
    Ok([&encapsulated.to_bytes()[..], &encrypted].concat())
}

/// The message that was sealed; `Err` for another recipient, purpose or task, or altered bytes.
pub(crate) fn open(key: &[u8], purpose: &str, task: &[u8], sealed: &[u8]) -> Outcome<Vec<u8>> {
    let key = <X25519HkdfSha256 as Kem>::PrivateKey::from_bytes(key)?;
    let (encapsulated, encrypted) = sealed.split_at_checked(ENCAPSULATED).ok_or("too short")?;
    Ok(hpke::single_shot_open::<ChaCha20Poly1305, HkdfSha256, X25519HkdfSha256>(
        &OpModeR::Base,
        &key,
        &<X25519HkdfSha256 as Kem>::EncappedKey::from_bytes(encapsulated)?,
        purpose.as_bytes(),
        encrypted,
        task,
    )?)
}
