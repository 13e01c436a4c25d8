package dev.weir.store.redis;

import dev.weir.remote.Vigil;
import io.lettuce.core.resource.DefaultEventLoopGroupProvider;
import io.lettuce.core.resource.Transports;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.EventExecutorGroup;
import java.nio.channels.spi.SelectorProvider;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The event loops of the connections, which stay awake for a moment while a call is under way; see {@link AwakeSelect}.
 *
 * <p>Those of a native transport, which an application may bring along, do not, nor does the loop of a machine with one
 * core, where it would keep Redis from answering.
 */
final class AwakeLoops extends DefaultEventLoopGroupProvider {
    private final AtomicInteger underWay = new AtomicInteger();
    private final Vigil vigil = new Vigil();

    AwakeLoops(int threads) {
        super(threads);
    }

    /** That of the threads who wait for answers: while one of them does, no loop is awake. */
    Vigil vigil() {
        return vigil;
    }

    /** Takes note of a call that has left, until it ends. */
    void stayAwakeFor(CompletionStage<?> call) {
        underWay.incrementAndGet();
        var unused = call.whenComplete((answer, failure) -> underWay.decrementAndGet());
    }

    // Named in full, as the class above has an older one of the same name.
    @Override
    protected <T extends EventLoopGroup> EventExecutorGroup doCreateEventLoopGroup(
            Class<T> type, int threads, io.lettuce.core.resource.ThreadFactoryProvider factories) {
        if (Transports.socketChannelClass() != NioSocketChannel.class
                || Runtime.getRuntime().availableProcessors() == 1) {
            return super.doCreateEventLoopGroup(type, threads, factories);
        }
        // In Netty 4.1 and 4.2; the group that takes its place in 4.2 is not in 4.1.
        return new NioEventLoopGroup(
                threads,
                factories.getThreadFactory("lettuce-nioEventLoop"),
                SelectorProvider.provider(),
                () -> new AwakeSelect(() -> underWay.get() > 0 && !vigil.isKept(), System::nanoTime));
    }
}
