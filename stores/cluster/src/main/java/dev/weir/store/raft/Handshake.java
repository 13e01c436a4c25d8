package dev.weir.store.raft;

import dev.weir.store.raft.BytesIn.MalformedException;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;

/**
 * How two nodes find out whether they belong together, before anything else is said.
 *
 * <p>The one who calls says who it is and which cluster it means; the one who is called says who it is, or why it refuses.
 * If there is a secret both prove that they know it, for this conversation only. What does not fit is a
 * {@link RefusedException} on both sides that says what to do.
 */
final class Handshake {
    /** What nodes say to each other; those of another version do not understand it. */
    static final int VERSION = 1;

    private static final int MAGIC = 0x57454952;
    private static final int NONCE = 32;
    private static final int LARGEST = 4_096;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Identity identity;

    Handshake(Identity identity) {
        this.identity = identity;
    }

    /**
     * Who a node is.
     *
     * @param cluster the cluster's name
     * @param size how many nodes it has
     * @param members a text that is the same on all nodes: who they are
     * @param format what the entries of the log are made of
     */
    record Identity(
            String cluster,
            int size,
            String members,
            int format,
            int node,
            @Nullable Secret secret) {}

    /** They do not belong together; the message says why and what to do. */
    static final class RefusedException extends IOException {
        private static final long serialVersionUID = 1L;

        RefusedException(String message) {
            super(message);
        }
    }

    /** @param seal seals or opens what follows; null without a secret */
    record Result(int node, Secret.@Nullable Seal seal) {}

    /** Introduces this node to whoever was called. */
    Result call(DataInputStream in, DataOutputStream out) throws IOException {
        byte[] greeting = greeting();
        send(out, greeting);
        byte[] answer = receive(in);
        BytesIn reply = new BytesIn(answer);
        String refusal = reply.text();
        if (!refusal.isEmpty()) {
            throw new RefusedException("the other node refuses: " + shown(refusal));
        }
        int node = (int) reply.number();
        byte[] nonce = reply.bytes();
        byte[] proof = reply.bytes();
        Secret secret = identity.secret;
        if (secret == null) {
            return new Result(node, null);
        }
        byte[] conversation = conversation(greeting, node, nonce);
        if (!secret.isProof(proof, "called", conversation)) {
            send(out, new byte[0]);
            throw new RefusedException("the other node has another secret; give all nodes the same");
        }
        send(out, secret.prove("caller", conversation));
        return new Result(node, secret.seal(true, conversation));
    }

    /** Receives whoever calls. */
    Result answer(DataInputStream in, DataOutputStream out) throws IOException {
        byte[] greeting = receive(in);
        int node;
        try {
            node = check(new BytesIn(greeting));
        } catch (RefusedException e) {
            BytesOut refusal = new BytesOut();
            refusal.text(String.valueOf(e.getMessage()));
            send(out, refusal.toBytes());
            throw e;
        }
        byte[] nonce = nonce();
        byte[] conversation = conversation(greeting, identity.node, nonce);
        Secret secret = identity.secret;
        BytesOut reply = new BytesOut();
        reply.text("");
        reply.number(identity.node);
        reply.bytes(nonce);
        reply.bytes(secret == null ? new byte[0] : secret.prove("called", conversation));
        send(out, reply.toBytes());
        if (secret == null) {
            return new Result(node, null);
        }
        if (!secret.isProof(receive(in), "caller", conversation)) {
            throw new RefusedException("node " + node + " has another secret; give all nodes the same");
        }
        return new Result(node, secret.seal(false, conversation));
    }

    private byte[] greeting() {
        BytesOut out = new BytesOut();
        out.i32(MAGIC);
        out.number(VERSION);
        out.number(identity.format);
        out.text(identity.cluster);
        out.text(identity.members);
        out.number(identity.size);
        out.number(identity.node);
        out.flag(identity.secret != null);
        out.bytes(nonce());
        return out.toBytes();
    }

    private int check(BytesIn in) throws RefusedException {
        try {
            if (in.i32() != MAGIC) {
                throw new RefusedException("what called is no node of Weir");
            }
            long version = in.number();
            long format = in.number();
            if (version != VERSION || format != identity.format) {
                throw new RefusedException("versions do not fit: the caller speaks " + version + "." + format
                        + ", the called " + VERSION + "." + identity.format
                        + "; use versions of Weir that can work together");
            }
            require("cluster", in.text(), identity.cluster);
            require("members", in.text(), identity.members);
            require("number of nodes", Long.toString(in.number()), Integer.toString(identity.size));
            long node = in.number();
            if (node < 0 || node >= identity.size || node == identity.node) {
                throw new RefusedException("the caller says it is node " + node + ", which the called one "
                        + (node == identity.node ? "is itself" : "does not know")
                        + "; give every node an identity of its own");
            }
            boolean hasSecret = in.flag();
            if (hasSecret != (identity.secret != null)) {
                throw new RefusedException((hasSecret ? "the caller" : "the called")
                        + " has a secret and the other has none; give all nodes the same");
            }
            return (int) node;
        } catch (MalformedException e) {
            throw new RefusedException("what called is no node of Weir");
        }
    }

    private static void require(String what, String theirs, String ours) throws RefusedException {
        if (!theirs.equals(ours)) {
            throw new RefusedException("the " + what + " of the caller is '" + shown(theirs) + "', of the called '"
                    + shown(ours) + "'; give all nodes the same");
        }
    }

    private static byte[] conversation(byte[] greeting, int called, byte[] nonce) {
        BytesOut out = new BytesOut();
        out.bytes(greeting);
        out.number(called);
        out.bytes(nonce);
        return out.toBytes();
    }

    private static byte[] nonce() {
        byte[] nonce = new byte[NONCE];
        RANDOM.nextBytes(nonce);
        return nonce;
    }

    private static void send(DataOutputStream out, byte[] bytes) throws IOException {
        out.writeInt(bytes.length);
        out.write(bytes);
        out.flush();
    }

    private static byte[] receive(DataInputStream in) throws IOException {
        int length = in.readInt();
        if (length < 0 || length > LARGEST) {
            throw new RefusedException("what is at the other end is no node of Weir");
        }
        return in.readNBytes(length);
    }

    /** Somebody else's text, fit for a log. */
    private static String shown(String text) {
        String plain = text.replaceAll("\\p{Cntrl}", "?");
        return plain.length() > 300 ? plain.substring(0, 300) + "…" : plain;
    }
}
