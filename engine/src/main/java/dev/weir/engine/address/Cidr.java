package dev.weir.engine.address;

/** A network: all addresses that share the first {@code prefix} bits. */
record Cidr(IpAddress network, int prefix) {

    /**
     * Parses {@code 10.0.0.0/8}, {@code 2001:db8::/32} or a single address, which is a network of one.
     *
     * @throws IllegalArgumentException if it is neither, or has bits beyond its prefix
     */
    static Cidr parse(String text) {
        int slash = text.indexOf('/');
        int end = slash < 0 ? text.length() : slash;
        IpAddress address = IpAddress.parse(text, 0, end);
        if (address == null) {
            throw new IllegalArgumentException(
                    "'" + text + "' is not a network; write an address and a prefix length such as 10.0.0.0/8"
                            + " or 2001:db8::/32 (names and zone ids are refused)");
        }
        int written = text.lastIndexOf(':', end) < 0 ? 32 : 128;
        int prefix = slash < 0 ? written : prefixLength(text, slash + 1, written);
        // An IPv4-mapped network (::ffff:10.0.0.0/104) is the IPv4 network.
        int unwrapped = prefix - (written - address.width());
        if (unwrapped < 0) {
            throw new IllegalArgumentException("'" + text + "' has a prefix of " + prefix
                    + "; an IPv4 network in IPv6 form needs at least 96, or write it in IPv4 form");
        }
        IpAddress network = address.network(unwrapped);
        if (!network.equals(address)) {
            throw new IllegalArgumentException("'" + text + "' has bits beyond its prefix; write '" + network + "/"
                    + unwrapped + "' for the network or '" + address + "' for the one address");
        }
        return new Cidr(network, unwrapped);
    }

    boolean contains(IpAddress address) {
        return address.v6() == network.v6() && address.network(prefix).equals(network);
    }

    private static int prefixLength(String text, int from, int max) {
        String digits = text.substring(from);
        if (!digits.matches("0|[1-9][0-9]{0,2}") || Integer.parseInt(digits) > max) {
            throw new IllegalArgumentException(
                    "'" + text + "' has no prefix length from 0 to " + max + " after the slash");
        }
        return Integer.parseInt(digits);
    }

    @Override
    public String toString() {
        return network + "/" + prefix;
    }
}
