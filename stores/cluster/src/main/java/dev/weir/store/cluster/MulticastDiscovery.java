package dev.weir.store.cluster;

import dev.weir.store.consensus.Directory;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.DatagramPacket;
import java.net.InetSocketAddress;
import java.net.MulticastSocket;
import java.net.NetworkInterface;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Discovery by multicast: each node announces its address in a group once a second.
 *
 * <p>Announcements are not authenticated; the handshake of a connection verifies the node. A daemon thread sends and
 * receives. Safe for use by several threads.
 */
final class MulticastDiscovery implements Directory {
    private static final Logger LOG = System.getLogger(MulticastDiscovery.class.getName());
    private static final Pattern SAID = Pattern.compile("weir (\\S{1,64}) (\\S{1,255}) ([0-9]{1,5})");
    private static final int MILLIS = 1_000;
    private static final int MOST_HEARD = 100;

    private final InetSocketAddress group;
    private final byte[] said;
    private final Map<String, InetSocketAddress> heard = new ConcurrentHashMap<>();

    MulticastDiscovery(InetSocketAddress group, String node, InetSocketAddress bind) {
        this.group = new InetSocketAddress(group.getHostString(), group.getPort());
        if (this.group.getAddress() == null || !this.group.getAddress().isMulticastAddress()) {
            throw new IllegalArgumentException(
                    "the option 'multicast' must be a group such as 239.255.77.1:7799, not another address");
        }
        this.said = ("weir " + node + " " + bind.getHostString() + " " + bind.getPort())
                .getBytes(StandardCharsets.US_ASCII);
        Thread thread = new Thread(this::run, "weir-cluster-multicast");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public List<InetSocketAddress> addresses(String node) {
        InetSocketAddress address = heard.get(node);
        return address == null ? List.of() : List.of(address);
    }

    private void run() {
        try (MulticastSocket socket = new MulticastSocket(group.getPort())) {
            NetworkInterface any = socket.getNetworkInterface();
            socket.joinGroup(group, any);
            socket.setSoTimeout(MILLIS / 4);
            long next = System.nanoTime();
            while (!Thread.currentThread().isInterrupted()) {
                if (System.nanoTime() - next >= 0) {
                    next = System.nanoTime() + MILLIS * 1_000_000L;
                    socket.send(new DatagramPacket(said, said.length, group));
                }
                listen(socket);
            }
        } catch (IOException e) {
            LOG.log(Level.ERROR, "multicast does not work here; list the members instead", e);
        }
    }

    private void listen(MulticastSocket socket) throws IOException {
        DatagramPacket packet = new DatagramPacket(new byte[512], 512);
        try {
            socket.receive(packet);
        } catch (SocketTimeoutException e) {
            return;
        }
        Matcher matcher = SAID.matcher(new String(packet.getData(), 0, packet.getLength(), StandardCharsets.US_ASCII));
        if (matcher.matches() && Integer.parseInt(matcher.group(3)) <= 65_535) {
            String host =
                    matcher.group(2).equals("0.0.0.0") ? packet.getAddress().getHostAddress() : matcher.group(2);
            // Anybody may announce: names of no node are not kept without bound.
            if (heard.size() >= MOST_HEARD && !heard.containsKey(matcher.group(1))) {
                return;
            }
            heard.put(matcher.group(1), new InetSocketAddress(host, Integer.parseInt(matcher.group(3))));
        }
    }
}
