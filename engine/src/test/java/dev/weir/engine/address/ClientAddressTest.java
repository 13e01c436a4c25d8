package dev.weir.engine.address;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The client's address comes only from configured trusted proxies. */
class ClientAddressTest {
    /** The trusted proxies of every vector. */
    private static final TrustedProxies PROXIES =
            TrustedProxies.of("10.0.0.0/8", "127.0.0.1", "2001:db8:ffff::/48", "::1/128");

    private static final ClientAddress CLIENT = ClientAddress.behind(PROXIES);
    private static final ClientAddress BY_FORWARDED = ClientAddress.behind(PROXIES, 64, ProxyHeader.FORWARDED);

    record Vector(String what, String peer, List<String> forwarded, List<String> xff, String client) {
        @Override
        public String toString() {
            return what;
        }
    }

    static Stream<Vector> vectors() {
        return Stream.of(
                // Without headers, and from untrusted peers.
                vector("no headers, stranger", "203.0.113.7", "", "", "203.0.113.7"),
                vector("no headers, proxy", "10.0.0.1", "", "", "10.0.0.1"),
                vector("stranger's X-Forwarded-For is ignored", "203.0.113.7", "", "1.2.3.4", "203.0.113.7"),
                vector("stranger's Forwarded is ignored", "203.0.113.7", "for=1.2.3.4", "", "203.0.113.7"),
                vector("neighbour of a trusted network", "11.0.0.1", "", "1.2.3.4", "11.0.0.1"),
                vector("peer that is no address", "/run/weir.sock", "", "1.2.3.4", "/run/weir.sock"),
                vector("peer that is a name", "localhost", "", "1.2.3.4", "localhost"),
                vector("empty peer", "", "", "1.2.3.4", ""),
                vector("peer with a port", "10.0.0.1:5555", "", "1.2.3.4", "1.2.3.4"),
                vector("peer with a zone id is the server's word", "fe80::1%eth0", "", "1.2.3.4", "fe80::/64"),
                vector("peer in brackets", "[::1]", "", "1.2.3.4", "1.2.3.4"),
                vector("peer spelled in full", "0:0:0:0:0:0:0:1", "", "1.2.3.4", "1.2.3.4"),
                vector("mapped peer is trusted as IPv4", "::ffff:10.0.0.1", "", "1.2.3.4", "1.2.3.4"),
                vector("mapped peer in hexadecimal", "::ffff:a00:1", "", "1.2.3.4", "1.2.3.4"),
                vector("mapped stranger is IPv4", "::ffff:cb00:7107", "", "1.2.3.4", "203.0.113.7"),
                // X-Forwarded-For, read from the right.
                vector("one hop", "10.0.0.1", "", "1.2.3.4", "1.2.3.4"),
                vector("client's own claim stands left", "10.0.0.1", "", "6.6.6.6, 1.2.3.4", "1.2.3.4"),
                vector("two proxies", "10.0.0.1", "", "6.6.6.6, 1.2.3.4, 10.0.0.2", "1.2.3.4"),
                vector("three proxies", "10.0.0.1", "", "1.2.3.4,10.0.0.3,10.0.0.2", "1.2.3.4"),
                vector("all hops trusted", "10.0.0.1", "", "10.0.0.3, 10.0.0.2", "10.0.0.3"),
                vector("a claim to be a proxy", "10.0.0.1", "", "10.9.9.9, 1.2.3.4", "1.2.3.4"),
                vector("no blanks", "10.0.0.1", "", "6.6.6.6,1.2.3.4", "1.2.3.4"),
                vector("many blanks and tabs", "10.0.0.1", "", " 6.6.6.6 ,\t 1.2.3.4 \t", "1.2.3.4"),
                vector("two lines", "10.0.0.1", "", "6.6.6.6|1.2.3.4", "1.2.3.4"),
                vector("two lines, proxy in the last", "10.0.0.1", "", "6.6.6.6, 1.2.3.4|10.0.0.2", "1.2.3.4"),
                vector("IPv4 with port", "10.0.0.1", "", "1.2.3.4:567", "1.2.3.4"),
                vector("IPv6", "10.0.0.1", "", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
                vector("IPv6 in brackets", "10.0.0.1", "", "[2001:db8:1:2:3:4:5:6]", "2001:db8:1:2::/64"),
                vector("IPv6 with port", "10.0.0.1", "", "[2001:db8:1:2:3:4:5:6]:80", "2001:db8:1:2::/64"),
                vector("IPv6 in capitals", "10.0.0.1", "", "2001:DB8:A:B::1", "2001:db8:a:b::/64"),
                vector("IPv6 proxy", "2001:db8:ffff::5", "", "1.2.3.4", "1.2.3.4"),
                vector("mapped client", "10.0.0.1", "", "::ffff:1.2.3.4", "1.2.3.4"),
                vector("mapped client by bits", "10.0.0.1", "", "0:0:0:0:0:FFFF:0102:0304", "1.2.3.4"),
                vector("mapped proxy among the hops", "10.0.0.1", "", "1.2.3.4, ::ffff:10.0.0.2", "1.2.3.4"),
                vector("compatible is not mapped", "10.0.0.1", "", "::1.2.3.4", "::/64"),
                // Hostile or broken hops: the client is unknown, and never the proxy that reported them.
                vector("garbage", "10.0.0.1", "", "1.2.3.4, garbage", "unknown"),
                vector("garbage left of the client", "10.0.0.1", "", "gar\"bage, 1.2.3.4", "1.2.3.4"),
                vector("garbage behind a second proxy", "10.0.0.1", "", "1.2.3.4, x, 10.0.0.2", "unknown"),
                vector("unknown", "10.0.0.1", "", "1.2.3.4, unknown", "unknown"),
                vector("empty element last", "10.0.0.1", "", "1.2.3.4,", "unknown"),
                vector("empty element between", "10.0.0.1", "", "1.2.3.4,, 10.0.0.2", "unknown"),
                vector("only commas", "10.0.0.1", "", ",,,,", "unknown"),
                vector("blank line", "10.0.0.1", "", " ", "unknown"),
                vector("a name is never looked up", "10.0.0.1", "", "localhost", "unknown"),
                vector("zone id", "10.0.0.1", "", "fe80::1%eth0", "unknown"),
                vector("octal octet", "10.0.0.1", "", "010.0.0.2", "unknown"),
                vector("short form", "10.0.0.1", "", "127.1", "unknown"),
                vector("one number", "10.0.0.1", "", "2130706433", "unknown"),
                vector("hexadecimal octets", "10.0.0.1", "", "0x7f.0.0.1", "unknown"),
                vector("octet too large", "10.0.0.1", "", "1.2.3.256", "unknown"),
                vector("octet with overflow", "10.0.0.1", "", "1.2.3.4294967300", "unknown"),
                vector("five octets", "10.0.0.1", "", "1.2.3.4.5", "unknown"),
                vector("missing octet", "10.0.0.1", "", "1.2..4", "unknown"),
                vector("trailing dot", "10.0.0.1", "", "1.2.3.4.", "unknown"),
                vector("digits of another script", "10.0.0.1", "", "\u0661.2.3.4", "unknown"),
                vector("letters that fold to hexadecimal", "10.0.0.1", "", "2001:db8::\uFF41", "unknown"),
                vector("port too large", "10.0.0.1", "", "1.2.3.4:65536", "unknown"),
                vector("port missing", "10.0.0.1", "", "1.2.3.4:", "unknown"),
                vector("port with a sign", "10.0.0.1", "", "1.2.3.4:+80", "unknown"),
                vector("bracket left open", "10.0.0.1", "", "[2001:db8::1", "unknown"),
                vector("bracket closed only", "10.0.0.1", "", "2001:db8::1]", "unknown"),
                vector("text behind a bracket", "10.0.0.1", "", "[2001:db8::1]x", "unknown"),
                vector("IPv4 in brackets", "10.0.0.1", "", "[1.2.3.4]", "unknown"),
                vector("two elisions", "10.0.0.1", "", "2001::db8::1", "unknown"),
                vector("nine groups", "10.0.0.1", "", "1:2:3:4:5:6:7:8:9", "unknown"),
                vector("seven groups", "10.0.0.1", "", "1:2:3:4:5:6:7", "unknown"),
                vector("elision of nothing", "10.0.0.1", "", "1:2:3:4::5:6:7:8", "unknown"),
                vector("five digits in a group", "10.0.0.1", "", "12345::1", "unknown"),
                vector("three colons", "10.0.0.1", "", ":::1", "unknown"),
                vector("colon first", "10.0.0.1", "", ":1:2:3:4:5:6:7", "unknown"),
                vector("colon last", "10.0.0.1", "", "1:2:3:4:5:6:7:", "unknown"),
                vector("IPv4 in the middle of IPv6", "10.0.0.1", "", "::1.2.3.4:5", "unknown"),
                vector("semicolons", "10.0.0.1", "", "1.2.3.4; 6.6.6.6", "unknown"),
                vector("control characters", "10.0.0.1", "", "1.2.3.4\u0000", "unknown"),
                vector("line break", "10.0.0.1", "", "1.2.3.4\r\n", "unknown"),
                vector("quoted", "10.0.0.1", "", "\"1.2.3.4\"", "unknown"),
                vector("CIDR is no address", "10.0.0.1", "", "1.2.3.4/32", "unknown"),
                vector("endless element", "10.0.0.1", "", "1.2.3.4" + " ".repeat(100_000), "unknown"),
                vector("endless left part", "10.0.0.1", "", "x".repeat(100_000) + ",1.2.3.4", "1.2.3.4"),
                vector("too many hops", "10.0.0.1", "", "1.2.3.4" + ",10.0.0.2".repeat(32), "unknown"),
                vector("as many hops as allowed", "10.0.0.1", "", "1.2.3.4" + ",10.0.0.2".repeat(31), "1.2.3.4"),
                // Forwarded (RFC 7239).
                vector("for", "10.0.0.1", "for=192.0.2.60;proto=http;by=203.0.113.43", "", "192.0.2.60"),
                vector("For in capitals", "10.0.0.1", "FOR=192.0.2.60", "", "192.0.2.60"),
                vector("for last", "10.0.0.1", "proto=https;host=x;for=192.0.2.60", "", "192.0.2.60"),
                vector("IPv6 and port", "10.0.0.1", "For=\"[2001:db8:cafe::17]:4711\"", "", "2001:db8:cafe::/64"),
                vector("IPv6 unquoted", "10.0.0.1", "for=[2001:db8:cafe::17]:4711", "", "2001:db8:cafe::/64"),
                vector("quoted IPv4 and port", "10.0.0.1", "for=\"1.2.3.4:80\"", "", "1.2.3.4"),
                vector("obfuscated port", "10.0.0.1", "for=\"1.2.3.4:_x9\"", "", "1.2.3.4"),
                vector("escapes in the quoted string", "10.0.0.1", "for=\"1.2.\\3.4\"", "", "1.2.3.4"),
                vector("two elements", "10.0.0.1", "for=6.6.6.6, for=1.2.3.4", "", "1.2.3.4"),
                vector("two proxies in Forwarded", "10.0.0.1", "for=1.2.3.4, for=10.0.0.2", "", "1.2.3.4"),
                vector("two Forwarded lines", "10.0.0.1", "for=6.6.6.6|for=1.2.3.4", "", "1.2.3.4"),
                vector("comma in quotes", "10.0.0.1", "for=1.2.3.4;host=\"a,for=6.6.6.6\"", "", "1.2.3.4"),
                vector("semicolon in quotes", "10.0.0.1", "for=1.2.3.4;host=\"a;for=6.6.6.6\"", "", "1.2.3.4"),
                vector("escaped quote", "10.0.0.1", "for=1.2.3.4;host=\"a\\\",for=6.6.6.6\"", "", "1.2.3.4"),
                vector("open quote further left", "10.0.0.1", "for=\"6.6.6.6, for=1.2.3.4", "", "1.2.3.4"),
                vector("open quote and ours quoted", "10.0.0.1", "for=\"6.6.6.6, for=\"1.2.3.4\"", "", "1.2.3.4"),
                vector("backslash further left", "10.0.0.1", "for=\"6.6.6.6\\, for=\"1.2.3.4\"", "", "1.2.3.4"),
                vector("open quote", "10.0.0.1", "for=\"1.2.3.4", "", "unknown"),
                vector("text behind quotes", "10.0.0.1", "for=\"1.2.3.4\"x", "", "unknown"),
                vector("obfuscated", "10.0.0.1", "for=1.2.3.4, for=_hidden", "", "unknown"),
                vector("unknown in Forwarded", "10.0.0.1", "for=1.2.3.4, for=unknown", "", "unknown"),
                vector("no for", "10.0.0.1", "for=1.2.3.4, proto=https", "", "unknown"),
                vector("for twice", "10.0.0.1", "for=1.2.3.4;for=6.6.6.6", "", "unknown"),
                vector("for without value", "10.0.0.1", "for=", "", "unknown"),
                vector("for without equals sign", "10.0.0.1", "for", "", "unknown"),
                vector("blank around equals sign", "10.0.0.1", "for = 1.2.3.4", "", "unknown"),
                vector("trailing semicolon", "10.0.0.1", "for=1.2.3.4;", "", "unknown"),
                vector("X-Forwarded-For in Forwarded", "10.0.0.1", "1.2.3.4", "", "unknown"),
                vector("empty Forwarded", "10.0.0.1", "|", "", "unknown"),
                vector("blanks around semicolons", "10.0.0.1", "proto=https ; for=1.2.3.4", "", "1.2.3.4"),
                // Only the chosen header is read; a vector with both chooses by the first.
                vector("other header, hostile", "10.0.0.1", "for=1.2.3.4", "for=_x", "1.2.3.4"),
                vector("multiple lines, last broken", "10.0.0.1", "", "1.2.3.4|_x", "unknown"),
                vector("multiple lines, last empty", "10.0.0.1", "", "1.2.3.4| ", "unknown"),
                vector("Forwarded lines, last empty", "10.0.0.1", "for=1.2.3.4| ", "", "unknown"),
                vector("IPv6 with a port and no brackets", "10.0.0.1", "", "2001:db8:0:0:0:0:0:1:80", "unknown"),
                vector("quoted obfuscated", "10.0.0.1", "for=\"_hidden\"", "", "unknown"),
                vector("quoted unknown", "10.0.0.1", "for=\"unknown\"", "", "unknown"),
                vector("quoted nothing", "10.0.0.1", "for=\"\"", "", "unknown"),
                vector("obfuscated with a port", "10.0.0.1", "for=\"_x:80\"", "", "unknown"),
                vector("unknown behind a second proxy", "10.0.0.1", "", "1.2.3.4, unknown, 10.0.0.2", "unknown"));
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void of_vector_isTheClient(Vector vector) {
        ClientAddress client = vector.forwarded.isEmpty() ? CLIENT : BY_FORWARDED;

        assertThat(client.of(vector.peer, vector.forwarded, vector.xff)).isEqualTo(vector.client);
    }

    @Test
    void vectors_atLeastSixty() {
        assertThat(vectors().map(Vector::what).distinct().count()).isGreaterThan(60);
        assertThat(vectors())
                .hasSameSizeAs(vectors().map(Vector::what).distinct().toList());
    }

    @ParameterizedTest
    @CsvSource({
        "2001:db8:0:0:1:0:0:1, 2001:db8::1:0:0:1",
        "2001:0db8:0000:0000:0000:0000:0000:0001, 2001:db8::1",
        "2001:db8:0:1:1:1:1:1, 2001:db8:0:1:1:1:1:1",
        "2001:0:0:1:0:0:0:1, 2001:0:0:1::1",
        "0:0:0:0:0:0:0:0, ::",
        "1::, 1::",
        "::1, ::1",
        "1:0:0:0:0:0:0:8, 1::8",
        "AB::CD, ab::cd",
        "1:2:3:4:5:6:7::, 1:2:3:4:5:6:7:0",
        "::2:3:4:5:6:7:8, 0:2:3:4:5:6:7:8",
        "64:ff9b::192.0.2.33, 64:ff9b::c000:221",
        "0:0:0:0:0:0:1.2.3.4, ::102:304",
        "1:2:3:4:5:6:1.2.3.4, 1:2:3:4:5:6:102:304",
    })
    void identity_anySpelling_isCanonical(String spelling, String canonical) {
        ClientAddress exact = ClientAddress.behind(PROXIES, 128, ProxyHeader.X_FORWARDED_FOR);

        assertThat(exact.identity(spelling)).isEqualTo(canonical);
    }

    @ParameterizedTest
    @CsvSource({
        "1, 8000::/1",
        "48, ffff:ffff:ffff::/48",
        "56, ffff:ffff:ffff:ff00::/56",
        "64, ffff:ffff:ffff:ffff::/64",
        "65, ffff:ffff:ffff:ffff:8000::/65",
        "127, ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe/127",
        "128, ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    })
    void identity_prefix_cutsTheAddress(int prefix, String identity) {
        ClientAddress client = ClientAddress.behind(PROXIES, prefix, ProxyHeader.X_FORWARDED_FOR);

        assertThat(client.identity("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff")).isEqualTo(identity);
        assertThat(client.identity("255.255.255.255")).isEqualTo("255.255.255.255");
    }

    @Test
    void of_inetAddress_isAsItsText() throws Exception {
        InetAddress proxy = InetAddress.getByAddress(new byte[] {10, 0, 0, 1});
        InetAddress stranger = InetAddress.getByAddress("a name", new byte[] {(byte) 203, 0, 113, 7});

        assertThat(CLIENT.of(proxy, List.of(), List.of("1.2.3.4"))).isEqualTo("1.2.3.4");
        assertThat(CLIENT.of(stranger, List.of(), List.of("1.2.3.4"))).isEqualTo("203.0.113.7");
        assertThat(PROXIES.contains(proxy)).isTrue();
        assertThat(PROXIES.contains("203.0.113.7")).isFalse();
        assertThat(PROXIES.contains("no address")).isFalse();
    }

    @Test
    void of_headerChosen_ignoresTheOther() {
        ClientAddress forwarded = ClientAddress.behind(PROXIES, 64, ProxyHeader.FORWARDED);
        ClientAddress xff = ClientAddress.behind(PROXIES, 64, ProxyHeader.X_FORWARDED_FOR);
        List<String> one = List.of("for=1.2.3.4");
        List<String> other = List.of("5.6.7.8");

        assertThat(forwarded.of("10.0.0.1", one, other)).isEqualTo("1.2.3.4");
        assertThat(xff.of("10.0.0.1", one, other)).isEqualTo("5.6.7.8");
        assertThat(forwarded.of("10.0.0.1", List.of(), other)).isEqualTo("10.0.0.1");
        assertThat(xff.of("10.0.0.1", one, List.of())).isEqualTo("10.0.0.1");
    }

    @Test
    void of_anyHeaderFromAnUntrustedPeer_isThePeer() {
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 20_000; i++) {
            String peer = "203.0." + random.nextInt(256) + "." + random.nextInt(256);

            assertThat(CLIENT.of(peer, lines(random), lines(random))).isEqualTo(peer);
        }
    }

    @Test
    void of_anyClaimLeftOfTheProxysWord_isTheProxysWord() {
        SplittableRandom random = new SplittableRandom(2);
        for (int i = 0; i < 20_000; i++) {
            String truth = "203.0.113." + random.nextInt(256);
            String claim = text(random);

            assertThat(CLIENT.of("10.0.0.1", List.of(), List.of(claim + ", " + truth)))
                    .isEqualTo(truth);
            assertThat(BY_FORWARDED.of("10.0.0.1", List.of(claim + ", for=" + truth), List.of()))
                    .isEqualTo(truth);
            assertThat(BY_FORWARDED.of("10.0.0.1", List.of(claim + ",for=\"" + truth + ":1\";proto=http"), List.of()))
                    .isEqualTo(truth);
            // The proxy wrote one header and passed on the client's other one, which is ignored.
            assertThat(CLIENT.of("10.0.0.1", List.of(claim), List.of(truth))).isEqualTo(truth);
        }
    }

    @Test
    void parse_anyAddress_roundTripsThroughItsText() throws Exception {
        SplittableRandom random = new SplittableRandom(3);
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = new byte[random.nextBoolean() ? 4 : 16];
            for (int at = 0; at < bytes.length; at += 2) {
                // Zero groups are frequent, so that elisions of every length and position occur.
                boolean zero = random.nextInt(3) > 0;
                bytes[at] = (byte) (zero ? 0 : random.nextInt(256));
                bytes[at + 1] = (byte) (zero ? 0 : random.nextInt(256));
            }
            InetAddress address = InetAddress.getByAddress(bytes);
            IpAddress parsed = IpAddress.of(address);

            assertThat(IpAddress.parse(parsed.toString())).isEqualTo(parsed);
            assertThat(IpAddress.parse(address.getHostAddress())).isEqualTo(parsed);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "x",
                "10.0.0.0/33",
                "10.0.0.0/-1",
                "10.0.0.0/08",
                "10.0.0.0/",
                "10.0.0.1/8",
                "localhost",
                "::/129",
                "2001:db8::1/32",
                "fe80::1%eth0",
                "10.0.0.0/8/8",
                "::ffff:10.0.0.0/95",
                "10.0.0.0 /8",
                "1.2.3.4:80"
            })
    void trustedProxies_malformed_isRefusedWithItsText(String cidr) {
        assertThatThrownBy(() -> TrustedProxies.of(cidr))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'" + cidr + "'");
    }

    @Test
    void trustedProxies_bitsBeyondThePrefix_suggestsTheNetwork() {
        assertThatThrownBy(() -> TrustedProxies.of("10.1.2.3/8")).hasMessageContaining("'10.0.0.0/8'");
    }

    @Test
    void trustedProxies_everything_coversItsOwnFamily() {
        assertThat(TrustedProxies.of("0.0.0.0/0").contains("255.1.2.3")).isTrue();
        assertThat(TrustedProxies.of("0.0.0.0/0").contains("::ffff:1.2.3.4")).isTrue();
        assertThat(TrustedProxies.of("0.0.0.0/0").contains("::1")).isFalse();
        assertThat(TrustedProxies.of("::/0").contains("::1")).isTrue();
        assertThat(TrustedProxies.of("::/0").contains("1.2.3.4")).isFalse();
        assertThat(TrustedProxies.of("::ffff:10.0.0.0/104").contains("10.9.9.9"))
                .isTrue();
        assertThat(TrustedProxies.of("::ffff:10.0.0.0/104").contains("11.9.9.9"))
                .isFalse();
    }

    private static List<String> lines(SplittableRandom random) {
        return Stream.generate(() -> text(random)).limit(random.nextInt(3)).toList();
    }

    /** Random text that resembles a header. */
    private static String text(SplittableRandom random) {
        String[] pieces = {
            "for=", "for=\"", "\"", ",", ", ", ";", "\\", "10.0.0.1", "10.0.0.2", "127.0.0.1", "6.6.6.6", "[::1]",
                    "::1",
            "unknown", "_x", ":80", "[", "]", " ", "\t", "proto=http", "\u0000", "\u00E9", "%", "=", "For=10.0.0.3"
        };
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(8); i > 0; i--) {
            text.append(pieces[random.nextInt(pieces.length)]);
        }
        return text.toString();
    }

    /** Lines of a header are separated by a bar; no text means no header, a lone bar one empty line. */
    private static Vector vector(String what, String peer, String forwarded, String xff, String client) {
        return new Vector(what, peer, headerLines(forwarded), headerLines(xff), client);
    }

    private static List<String> headerLines(String joined) {
        if (joined.isEmpty()) {
            return List.of();
        }
        return joined.equals("|") ? List.of("") : Arrays.asList(joined.split("\\|"));
    }
}
