//! Addresses that belong to the public internet. All others belong to this machine or its network, or are reserved.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Tells whether an address is one of the public internet. An address of version 6 that carries one of version 4 is
/// judged by the latter, because a gateway leads there.
pub(crate) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [first, second, third, _] = address.octets();
    let is_shared = first == 100 && (64..128).contains(&second);
    let is_protocol = first == 192 && second == 0 && third == 0;
    let is_relay = first == 192 && second == 88 && third == 99;
    let is_benchmark = first == 198 && (second == 18 || second == 19);
    let is_special = address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_documentation();
    let is_reserved = first == 0 || first >= 240;
    !(is_special || is_shared || is_protocol || is_relay || is_benchmark || is_reserved)
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let [first, second, third, fourth, fifth, sixth, seventh, eighth] = address.segments();
    let carried = |high: u16, low: u16| Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low));
    match [first, second, third, fourth, fifth, sixth] {
        // Mapped, and translated by a gateway with the well-known prefix.
        [0, 0, 0, 0, 0, 0xffff] | [0x64, 0xff9b, 0, 0, 0, 0] => {
            is_public_v4(carried(seventh, eighth))
        }
        // 6to4.
        [0x2002, high, low, ..] => is_public_v4(carried(high, low)),
        // Teredo, benchmarks, overlays and documentation.
        [0x2001, part, ..] if part < 0x200 || part == 0xdb8 => false,
        [0x3fff, part, ..] if part < 0x1000 => false,
        // Only this eighth of all addresses is public.
        [first, ..] => (0x2000..0x4000).contains(&first),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_this_machine_and_its_network_are_not_public() {
        for text in [
            "127.0.0.1",
            "127.8.9.1",
            "0.0.0.0",
            "10.0.0.1",
            "172.16.3.4",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "192.0.0.8",
            "198.18.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "240.0.0.1",
            "::",
            "::1",
            "fe80::1",
            "fec0::1",
            "fd00::1",
            "ff02::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::127.0.0.1",
            "64:ff9b::7f00:1",
            "2002:7f00:1::",
            "2001:db8::1",
            "2001::1",
            "64:ff9b:1::1",
            "100::1",
        ] {
            assert!(!is_public(text.parse().unwrap()), "{text}");
        }
        for text in ["1.1.1.1", "100.128.0.1", "172.32.0.1", "2606:4700::1111", "::ffff:8.8.8.8"] {
            assert!(is_public(text.parse().unwrap()), "{text}");
        }
    }
}
