package dev.weir.spring.websocket;

import dev.weir.binding.servlet.Refusal;
import dev.weir.engine.Weir;
import dev.weir.engine.connection.ConnectionLimits;
import dev.weir.spring.WeirAutoConfiguration;
import dev.weir.spring.WeirProperties;
import jakarta.servlet.Filter;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.web.socket.WebSocketHandler;

/** Provides limits on WebSockets of servlet applications, for endpoints that use them. */
@AutoConfiguration(after = WeirAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass({Filter.class, WebSocketHandler.class})
@ConditionalOnBean(Weir.class)
class WebSocketAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    ConnectionLimits weirConnectionLimits(Weir weir, WeirProperties properties) {
        return new ConnectionLimits(weir, properties.websocket().slotTtl());
    }

    @Bean
    @ConditionalOnMissingBean
    WeirWebSockets weirWebSockets(
            Weir weir,
            ConnectionLimits connections,
            ObjectProvider<ConnectionAttributes> attributes,
            ObjectProvider<MessagePipelineCustomizer> customizers,
            ObjectProvider<Refusal> refusal) {
        return new WeirWebSockets(
                weir,
                connections,
                attributes.orderedStream().toList(),
                customizers.orderedStream().toList(),
                refusal.getIfAvailable(() -> Refusal.PROBLEM));
    }
}
