package dev.weir.engine.address;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PublicAddressesTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "0.0.0.0",
                "0.1.2.3",
                "10.1.2.3",
                "100.64.0.1",
                "127.0.0.1",
                "127.255.255.254",
                "169.254.169.254",
                "172.16.0.1",
                "172.31.255.255",
                "192.0.0.8",
                "192.168.1.1",
                "198.19.0.1",
                "203.0.113.7",
                "224.0.0.1",
                "239.255.255.250",
                "240.0.0.1",
                "255.255.255.255",
                "::",
                "::1",
                "::ffff:127.0.0.1",
                "::ffff:10.0.0.1",
                "::127.0.0.1",
                "64:ff9b::7f00:1",
                "64:ff9b::10.0.0.1",
                "64:ff9b:1::1",
                "fe80::1",
                "fec0::1",
                "fc00::1",
                "fd12:3456::1",
                "ff02::1",
                "2001::1",
                "2001:db8::1",
                "2002:7f00:1::",
                "100::1",
                "3fff::1",
                "fd00:ec2::254"
            })
    void contain_special_isFalse(String address) throws Exception {
        assertThat(PublicAddresses.contain(InetAddress.getByName(address))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1.1.1.1",
                "8.8.8.8",
                "9.255.255.255",
                "11.0.0.0",
                "100.63.255.255",
                "100.128.0.0",
                "126.255.255.255",
                "128.0.0.1",
                "172.15.255.255",
                "172.32.0.0",
                "192.167.255.255",
                "223.255.255.255",
                "::ffff:8.8.8.8",
                "64:ff9b::8.8.8.8",
                "2606:4700:4700::1111",
                "2a00:1450:4001::1",
                "2003::1"
            })
    void contain_global_isTrue(String address) throws Exception {
        assertThat(PublicAddresses.contain(InetAddress.getByName(address))).isTrue();
    }
}
