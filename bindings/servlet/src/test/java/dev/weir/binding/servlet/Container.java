package dev.weir.binding.servlet;

import jakarta.servlet.Servlet;
import jakarta.servlet.ServletContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.catalina.Context;
import org.apache.catalina.Wrapper;
import org.apache.catalina.startup.Tomcat;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/** The servlet containers that the binding is tested on. */
enum Container {
    TOMCAT {
        @Override
        Running start(String contextPath, Servlet servlet, Consumer<ServletContext> setUp) throws Exception {
            Path base = Files.createTempDirectory("tomcat");
            Tomcat tomcat = new Tomcat();
            tomcat.setBaseDir(base.toString());
            tomcat.setPort(0);
            Context context = tomcat.addContext(contextPath, base.toString());
            Wrapper wrapper = Tomcat.addServlet(context, "app", servlet);
            wrapper.setAsyncSupported(true);
            wrapper.setMultipartConfigElement(new jakarta.servlet.MultipartConfigElement(base.toString()));
            context.addServletMappingDecoded("/*", "app");
            context.addServletContainerInitializer((classes, servlets) -> setUp.accept(servlets), Set.of());
            tomcat.getConnector();
            tomcat.start();
            return new Running(tomcat.getConnector().getLocalPort(), () -> {
                tomcat.stop();
                tomcat.destroy();
            });
        }
    },

    JETTY {
        @Override
        Running start(String contextPath, Servlet servlet, Consumer<ServletContext> setUp) throws Exception {
            Server server = new Server();
            ServerConnector connector = new ServerConnector(server);
            connector.setHost("127.0.0.1");
            server.addConnector(connector);
            ServletContextHandler handler = new ServletContextHandler();
            handler.setContextPath(contextPath.isEmpty() ? "/" : contextPath);
            ServletHolder holder = new ServletHolder(servlet);
            holder.setAsyncSupported(true);
            holder.getRegistration()
                    .setMultipartConfig(new jakarta.servlet.MultipartConfigElement(
                            Files.createTempDirectory("jetty").toString()));
            handler.addServlet(holder, "/*");
            handler.addServletContainerInitializer((classes, servlets) -> setUp.accept(servlets));
            server.setHandler(handler);
            server.start();
            return new Running(connector.getLocalPort(), server::stop);
        }
    };

    /** @param setUp registers filters */
    abstract Running start(String contextPath, Servlet servlet, Consumer<ServletContext> setUp) throws Exception;

    interface Stopping {
        void run() throws Exception;
    }

    /** A running container. */
    record Running(int port, Stopping stopping) implements AutoCloseable {
        @Override
        public void close() throws Exception {
            stopping.run();
        }
    }
}
