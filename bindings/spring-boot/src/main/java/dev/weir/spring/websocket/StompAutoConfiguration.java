package dev.weir.spring.websocket;

import dev.weir.engine.Weir;
import dev.weir.spring.WeirProperties;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.messaging.simp.SimpMessagingTemplate;
import org.springframework.messaging.simp.config.ChannelRegistration;
import org.springframework.web.socket.config.annotation.WebSocketMessageBrokerConfigurer;
import org.springframework.web.socket.config.annotation.WebSocketTransportRegistration;

/** Provides limits on STOMP frames, and slots for STOMP connections whose handshake takes one. */
@AutoConfiguration(after = WebSocketAutoConfiguration.class)
@ConditionalOnClass({SimpMessagingTemplate.class, WebSocketMessageBrokerConfigurer.class})
@ConditionalOnBean(WeirWebSockets.class)
@ConditionalOnProperty(name = "weir.stomp.enabled", matchIfMissing = true)
class StompAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    StompLimits weirStompLimits(Weir weir, WeirProperties properties, ObjectProvider<SimpMessagingTemplate> template) {
        return new StompLimits(weir, properties.stomp(), template::getIfAvailable);
    }

    @Bean
    @ConditionalOnMissingBean(name = "weirStompConfigurer")
    WebSocketMessageBrokerConfigurer weirStompConfigurer(StompLimits limits) {
        return new WebSocketMessageBrokerConfigurer() {
            @Override
            public void configureClientInboundChannel(ChannelRegistration registration) {
                registration.interceptors(limits);
            }

            @Override
            public void configureWebSocketTransport(WebSocketTransportRegistration registration) {
                registration.addDecoratorFactory(handler -> new SlotHandler(handler, false));
            }
        };
    }
}
