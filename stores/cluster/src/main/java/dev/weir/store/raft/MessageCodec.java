package dev.weir.store.raft;

import dev.weir.store.raft.BytesIn.MalformedException;
import dev.weir.store.raft.Message.Append;
import dev.weir.store.raft.Message.Appended;
import dev.weir.store.raft.Message.Applied;
import dev.weir.store.raft.Message.Hello;
import dev.weir.store.raft.Message.Install;
import dev.weir.store.raft.Message.Installed;
import dev.weir.store.raft.Message.Submit;
import dev.weir.store.raft.Message.TakeOver;
import dev.weir.store.raft.Message.Vote;
import dev.weir.store.raft.Message.VoteRequest;
import java.util.ArrayList;
import java.util.List;

/** Messages as bytes: a kind, then the fields in their order. */
final class MessageCodec {
    private MessageCodec() {}

    static void write(BytesOut out, Message message) {
        if (message instanceof Append m) {
            out.u8(1);
            numbers(out, m.term(), m.prevIndex(), m.prevTerm(), m.commit(), m.last(), m.micros(), m.round());
            out.number(m.confirmed());
            out.number(m.entries().size());
            m.entries().forEach(entry -> entry.write(out));
        } else if (message instanceof Appended m) {
            out.u8(2);
            out.number(m.term());
            out.flag(m.ok());
            numbers(out, m.index(), m.round());
            out.flag(m.isTrusted());
        } else if (message instanceof Submit m) {
            out.u8(3);
            numbers(out, m.term(), m.number());
            out.flag(m.durable());
            out.bytes(m.body());
        } else if (message instanceof Applied m) {
            out.u8(4);
            numbers(out, m.term(), m.number());
            out.flag(m.accepted());
            out.bytes(m.reply());
        } else if (message instanceof VoteRequest m) {
            out.u8(5);
            out.number(m.term());
            out.flag(m.isTrial());
            numbers(out, m.lastIndex(), m.lastTerm());
        } else if (message instanceof Vote m) {
            out.u8(6);
            numbers(out, m.term(), m.asked());
            out.flag(m.isTrial());
            out.flag(m.granted());
            out.signed(m.micros());
        } else if (message instanceof Install m) {
            out.u8(7);
            numbers(out, m.term(), m.index(), m.indexTerm(), m.indexMicros(), m.micros(), m.round(), m.offset());
            out.number(m.total());
            out.bytes(m.piece());
        } else if (message instanceof Installed m) {
            out.u8(8);
            numbers(out, m.term(), m.index(), m.offset(), m.round());
            out.flag(m.isTrusted());
        } else if (message instanceof TakeOver m) {
            out.u8(9);
            out.number(m.term());
        } else if (message instanceof Hello m) {
            out.u8(10);
            out.number(m.term());
            out.flag(m.asks());
            out.flag(m.hasData());
            out.flag(m.isTrusted());
        }
    }

    static Message read(BytesIn in) {
        Message message = readKind(in.u8(), in);
        in.end();
        return message;
    }

    private static Message readKind(int kind, BytesIn in) {
        return switch (kind) {
            case 1 -> new Append(n(in), n(in), n(in), n(in), n(in), n(in), n(in), n(in), entries(in));
            case 2 -> new Appended(n(in), in.flag(), n(in), n(in), in.flag());
            case 3 -> new Submit(n(in), n(in), in.flag(), in.bytes());
            case 4 -> new Applied(n(in), n(in), in.flag(), in.bytes());
            case 5 -> new VoteRequest(n(in), in.flag(), n(in), n(in));
            case 6 -> new Vote(n(in), n(in), in.flag(), in.flag(), in.signed());
            case 7 -> new Install(n(in), n(in), n(in), n(in), n(in), n(in), n(in), n(in), in.bytes());
            case 8 -> new Installed(n(in), n(in), n(in), n(in), in.flag());
            case 9 -> new TakeOver(n(in));
            case 10 -> new Hello(n(in), in.flag(), in.flag(), in.flag());
            default -> throw new MalformedException("unknown kind of message " + kind);
        };
    }

    private static long n(BytesIn in) {
        long number = in.number();
        if (number < 0) {
            throw new MalformedException("a negative number in a message");
        }
        return number;
    }

    private static List<Entry> entries(BytesIn in) {
        int count = in.count(6);
        List<Entry> entries = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            entries.add(Entry.read(in));
        }
        return entries;
    }

    private static void numbers(BytesOut out, long... numbers) {
        for (long number : numbers) {
            out.number(number);
        }
    }
}
