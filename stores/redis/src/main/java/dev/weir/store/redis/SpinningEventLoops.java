package dev.weir.store.redis;

import dev.weir.remote.SpinWait;
import io.lettuce.core.resource.DefaultEventLoopGroupProvider;
import io.lettuce.core.resource.Transports;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SelectStrategy;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.IntSupplier;
import io.netty.util.concurrent.EventExecutorGroup;
import java.nio.channels.spi.SelectorProvider;

/**
 * The connections' event loops if the store spins ({@code spin=true}): each polls for a short time before it blocks.
 *
 * <p>Event loops of a native transport, which an application may add, do not spin. On a machine with one core no event
 * loop spins, because that would keep Redis from running.
 */
final class SpinningEventLoops extends DefaultEventLoopGroupProvider {
    private final SpinWait spinWait;

    SpinningEventLoops(int threads, SpinWait spinWait) {
        super(threads);
        this.spinWait = spinWait;
    }

    // Fully qualified, because the superclass has a nested type of the same simple name.
    @Override
    protected <T extends EventLoopGroup> EventExecutorGroup doCreateEventLoopGroup(
            Class<T> type, int threads, io.lettuce.core.resource.ThreadFactoryProvider factories) {
        if (Transports.socketChannelClass() != NioSocketChannel.class
                || Runtime.getRuntime().availableProcessors() == 1) {
            return super.doCreateEventLoopGroup(type, threads, factories);
        }
        // Exists in Netty 4.1 and 4.2; its replacement in 4.2 does not exist in 4.1.
        return new NioEventLoopGroup(
                threads,
                factories.getThreadFactory("lettuce-nioEventLoop"),
                SelectorProvider.provider(),
                () -> new SpinningSelectStrategy(spinWait.loop()));
    }

    /** Decides whether an event loop polls again or blocks in select. */
    private record SpinningSelectStrategy(SpinWait.EventLoopSpin loop) implements SelectStrategy {
        @Override
        public int calculateStrategy(IntSupplier selectNow, boolean hasTasks) throws Exception {
            if (hasTasks) {
                loop.hasWork();
                return selectNow.get();
            }
            if (!loop.shouldSpin()) {
                return SELECT;
            }
            int found = selectNow.get();
            if (found > 0) {
                loop.hasWork();
                return found;
            }
            // Not 0, which Netty 4.1 takes for a premature return: after 512 in a row it rebuilds the selector.
            return CONTINUE;
        }
    }
}
