package dev.weir.store.raft;

import dev.weir.store.raft.BytesIn.MalformedException;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;

/**
 * How two nodes find out whether they belong together, before anything else is said.
 *
 * <pre>
 *   caller → called   opening        whether there is a secret, a nonce
 *   called → caller   opening        a nonce
 *   caller → called   introduction   proof of the secret, who the caller is
 *   called → caller   introduction   proof of the secret, who the called is
 * </pre>
 *
 * <p>A proof is of this conversation only, and both introductions are sealed with keys made from the secret: neither name,
 * members nor version of the cluster is told to anybody who has not proven the secret. Without a secret the caller
 * introduces itself in the clear, and the called tells nobody more than that it differs. What does not fit is a
 * {@link RefusedException} on both sides that says what to do; what does not even begin like a node is told nothing.
 */
final class Handshake {
    /** What nodes say to each other; those of another version do not understand it. */
    static final int VERSION = 2;

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
        byte[] opening = opening();
        send(out, opening);
        byte[] conversation = conversation(opening, accepted(receive(in)).bytes());
        BytesOut own = new BytesOut();
        introduce(own, "caller", identityBytes(), conversation);
        send(out, own.toBytes());
        BytesIn called = new BytesIn(introduced("called", accepted(receive(in)), conversation));
        long node = called.number();
        called.end();
        if (node < 0 || node >= identity.size) {
            throw new RefusedException("the other node says it is node " + node + ", which does not exist");
        }
        return new Result((int) node, frames(true, conversation));
    }

    /** Receives whoever calls. */
    Result answer(DataInputStream in, DataOutputStream out) throws IOException {
        byte[] opening = receive(in);
        boolean callerHasSecret = hasSecret(new BytesIn(opening));
        byte[] nonce = nonce();
        byte[] conversation = conversation(opening, nonce);
        int node;
        try {
            if (callerHasSecret != (identity.secret != null)) {
                throw new RefusedException((callerHasSecret ? "the caller" : "the called")
                        + " has a secret and the other has none; give all nodes the same");
            }
            send(out, accepting(nonce));
            node = check(new BytesIn(introduced("caller", new BytesIn(receive(in)), conversation)));
        } catch (RefusedException e) {
            BytesOut refusal = new BytesOut();
            refusal.text(String.valueOf(e.getMessage()));
            send(out, refusal.toBytes());
            throw e;
        }
        BytesOut own = new BytesOut();
        own.number(identity.node);
        BytesOut reply = new BytesOut();
        reply.text("");
        introduce(reply, "called", own.toBytes(), conversation);
        send(out, reply.toBytes());
        return new Result(node, frames(false, conversation));
    }

    // ---- openings -----------------------------------------------------------------------------------------------

    private byte[] opening() {
        BytesOut out = new BytesOut();
        out.i32(MAGIC);
        out.flag(identity.secret != null);
        out.bytes(nonce());
        return out.toBytes();
    }

    private static byte[] accepting(byte[] nonce) {
        BytesOut out = new BytesOut();
        out.text("");
        out.bytes(nonce);
        return out.toBytes();
    }

    private static boolean hasSecret(BytesIn opening) throws RefusedException {
        try {
            if (opening.i32() == MAGIC) {
                boolean hasSecret = opening.flag();
                byte[] nonce = opening.bytes();
                opening.end();
                if (nonce.length == NONCE) {
                    return hasSecret;
                }
            }
        } catch (MalformedException e) {
            // It is told apart by nothing.
        }
        throw new RefusedException("what called is no node of Weir, or of a version that does not fit");
    }

    /** What follows in a reply that is no refusal. */
    private static BytesIn accepted(byte[] reply) throws RefusedException {
        BytesIn in = new BytesIn(reply);
        String refusal = in.text();
        if (!refusal.isEmpty()) {
            throw new RefusedException("the other node refuses: " + shown(refusal));
        }
        return in;
    }

    // ---- introductions ------------------------------------------------------------------------------------------

    private void introduce(BytesOut out, String who, byte[] content, byte[] conversation) {
        Secret secret = identity.secret;
        out.bytes(secret == null ? new byte[0] : secret.prove(who, conversation));
        try {
            out.bytes(
                    secret == null
                            ? content
                            : secret.seal(true, who + " introduces itself", conversation)
                                    .next(content, content.length));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java lacks what encryption needs", e);
        }
    }

    /** What an introduction says, once its proof has been found right. */
    private byte[] introduced(String who, BytesIn introduction, byte[] conversation) throws RefusedException {
        Secret secret = identity.secret;
        try {
            byte[] proof = introduction.bytes();
            byte[] content = introduction.bytes();
            introduction.end();
            if (secret == null) {
                return content;
            }
            if (secret.isProof(proof, who, conversation)) {
                return secret.seal(false, who + " introduces itself", conversation)
                        .next(content, content.length);
            }
        } catch (MalformedException | GeneralSecurityException e) {
            // It is told apart from a wrong proof by nothing.
        }
        throw new RefusedException(
                secret == null
                        ? "what is at the other end is no node of Weir"
                        : "the other node has another secret or another cluster's name; give all nodes the same");
    }

    private byte[] identityBytes() {
        BytesOut out = new BytesOut();
        out.text(identity.cluster);
        out.text(identity.members);
        out.number(VERSION);
        out.number(identity.format);
        out.number(identity.size);
        out.number(identity.node);
        return out.toBytes();
    }

    /** Which node the caller is. What it is told repeats what it said, and nothing of this cluster. */
    private int check(BytesIn in) throws RefusedException {
        try {
            require("cluster", in.text(), identity.cluster);
            require("members", in.text(), identity.members);
            if (in.number() != VERSION || in.number() != identity.format) {
                throw new RefusedException(
                        "versions do not fit; use versions of Weir on all nodes that can work together");
            }
            require("number of nodes", Long.toString(in.number()), Integer.toString(identity.size));
            long node = in.number();
            in.end();
            if (node < 0 || node >= identity.size || node == identity.node) {
                throw new RefusedException("the caller says it is node " + node + ", which the called one "
                        + (node == identity.node ? "is itself" : "does not know")
                        + "; give every node an identity of its own");
            }
            return (int) node;
        } catch (MalformedException e) {
            throw new RefusedException("what called is no node of Weir");
        }
    }

    private static void require(String what, String theirs, String ours) throws RefusedException {
        if (!theirs.equals(ours)) {
            throw new RefusedException("the " + what + " of the caller is '" + shown(theirs)
                    + "', of the called another; give all nodes the same");
        }
    }

    // ---- the conversation ---------------------------------------------------------------------------------------

    private Secret.@Nullable Seal frames(boolean seals, byte[] conversation) {
        Secret secret = identity.secret;
        return secret == null ? null : secret.seal(seals, "frames", conversation);
    }

    private static byte[] conversation(byte[] opening, byte[] nonce) throws RefusedException {
        if (nonce.length != NONCE) {
            throw new RefusedException("what is at the other end is no node of Weir");
        }
        BytesOut out = new BytesOut();
        out.bytes(opening);
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
        byte[] bytes = new byte[length];
        in.readFully(bytes);
        return bytes;
    }

    /** Somebody else's text, fit for a log. */
    private static String shown(String text) {
        String plain = text.replaceAll("\\p{Cntrl}", "?");
        return plain.length() > 300 ? plain.substring(0, 300) + "…" : plain;
    }
}
