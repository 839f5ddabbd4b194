# One image for both roles: TIDEMARK_ROLE says which. The stores are servers of their own, so the embedded ones stay out.
FROM node:24.21.0-slim AS modules
WORKDIR /app
COPY package.json package-lock.json ./
# Not `npm ci`: the lock file names the native packages of one platform only. The one that is wanted is that of argon2.
RUN npm install --no-save --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund \
    "@node-rs/argon2-linux-$(node -p process.arch)-gnu@2.2.1"

FROM node:24.21.0-slim
# Loopback is the default of both addresses and would be nobody's inside a container.
ENV NODE_ENV=production UV_THREADPOOL_SIZE=16 \
    HOST=0.0.0.0 PORT=8080 TIDEMARK_METRICS_HOST=0.0.0.0 TIDEMARK_METRICS_PORT=9464 \
    TIDEMARK_DATA_DIR=/data TIDEMARK_DEMO=0
WORKDIR /app
COPY --from=modules /app/node_modules node_modules
COPY package.json ./
COPY engine engine
COPY streams streams
COPY analytics analytics
COPY actors actors
COPY http http
COPY config config
RUN mkdir /data && chown 1000:1000 /data
USER 1000:1000
EXPOSE 8080 9464
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "--disable-warning=ExperimentalWarning", "config/main.ts"]
CMD ["start"]
