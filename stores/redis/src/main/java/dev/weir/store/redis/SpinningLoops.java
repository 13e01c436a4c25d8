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
 * The connections' event loops where the store spins ({@code spin=true}): each looks again for a moment before it sleeps.
 *
 * <p>Those of a native transport, which an application may bring along, do not, nor does the loop of a machine with one
 * core, where it would keep Redis from answering.
 */
final class SpinningLoops extends DefaultEventLoopGroupProvider {
    private final SpinWait spinWait;

    SpinningLoops(int threads, SpinWait spinWait) {
        super(threads);
        this.spinWait = spinWait;
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
                () -> new Select(spinWait.loop()));
    }

    /** What a loop does next. */
    private record Select(SpinWait.Loop loop) implements SelectStrategy {
        @Override
        public int calculateStrategy(IntSupplier selectNow, boolean hasTasks) throws Exception {
            if (hasTasks) {
                loop.hasWork();
                return selectNow.get();
            }
            if (!loop.looksAgain()) {
                return SELECT;
            }
            int found = selectNow.get();
            if (found > 0) {
                loop.hasWork();
                return found;
            }
            // Not 0, which Netty 4.1 takes for a select that returned too early: after 512 in a row it makes a new
            // selector.
            return CONTINUE;
        }
    }
}
