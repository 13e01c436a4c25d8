package dev.weir.engine.config;

import static dev.weir.engine.config.Values.ordered;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Addresses and blocks of them, as configurations write them: {@code 10.0.0.0/8}, {@code ::1}. Names are none. */
final class Cidrs {
    private static final String BYTE = "(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
    private static final Pattern IPV4 = Pattern.compile(BYTE + "(\\." + BYTE + "){3}");
    private static final Pattern IPV6 = Pattern.compile("[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*");
    private static final Pattern BLOCK = Pattern.compile("([^/]*)(?:/([0-9]{1,3}))?");

    static final Value<String> VALUE =
            Values.scalar(ordered("type", "string", "pattern", "^[0-9A-Fa-f:.]+(/[0-9]{1,3})?$"), text -> {
                Matcher block = BLOCK.matcher(text);
                int bits = block.matches() ? bits(block.group(1)) : 0;
                if (bits == 0) {
                    throw new IllegalArgumentException(
                            "it must be an address or a CIDR block such as 10.0.0.0/8 or fd00::/8");
                }
                if (block.group(2) != null && Integer.parseInt(block.group(2)) > bits) {
                    throw new IllegalArgumentException("its prefix must be 0 to " + bits);
                }
                return text;
            });

    private Cidrs() {}

    /** 32 for an IPv4 address, 128 for an IPv6 address, 0 for anything else. */
    private static int bits(String address) {
        if (IPV4.matcher(address).matches()) {
            return 32;
        }
        if (!IPV6.matcher(address).matches()) {
            return 0;
        }
        try {
            // With a colon and only these characters it is read as a literal: no name is looked up.
            InetAddress read = InetAddress.getByName("[" + address + "]");
            return read instanceof Inet6Address
                            || address.toLowerCase(java.util.Locale.ROOT).contains("ffff:")
                    ? 128
                    : 0;
        } catch (UnknownHostException e) {
            return 0;
        }
    }
}
