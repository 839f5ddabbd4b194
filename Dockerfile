# One image for both roles: TIDEMARK_ROLE says which. The stores are servers of their own, so the embedded ones stay out.
FROM node:24.21.0-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS modules
WORKDIR /app
COPY package.json package-lock.json ./
# The optional packages of package.json are the stores in the box; those of other packages are wanted: half of argon2 is one.
RUN npm pkg delete optionalDependencies && npm ci --omit=dev --ignore-scripts --no-audit --no-fund
# What is in the image, as CycloneDX. The lock of package.json as it stands names more: this is what was installed. Without its
# number and time, so that two builds are equal.
RUN npm pkg delete devDependencies && npm sbom --sbom-format=cyclonedx > sbom.cdx.json && \
    sed -i -e '/^ *"serialNumber": /d' -e '/^ *"timestamp": /d' sbom.cdx.json

FROM node:24.21.0-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6
# Loopback is the default of these addresses and would be nobody's inside a container.
ENV NODE_ENV=production UV_THREADPOOL_SIZE=16 \
    HOST=0.0.0.0 PORT=8080 TIDEMARK_METRICS_HOST=0.0.0.0 TIDEMARK_METRICS_PORT=9464 \
    TIDEMARK_ANALYSTS_HOST=0.0.0.0 TIDEMARK_ANALYSTS_PORT=8124 \
    TIDEMARK_DATA_DIR=/data TIDEMARK_DEMO=0
WORKDIR /app
COPY --from=modules /app/node_modules node_modules
COPY --from=modules /app/sbom.cdx.json sbom.cdx.json
COPY package.json SECURITY.md LICENSE NOTICE ./
COPY engine engine
COPY streams streams
COPY analytics analytics
COPY actors actors
COPY http http
COPY config config
# Bundled here, so that no container does it at its start.
RUN node --disable-warning=ExperimentalWarning config/tools/bundle-console.ts
RUN mkdir /data && chown 1000:1000 /data
USER 1000:1000
EXPOSE 8080 8124 9464
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "--disable-warning=ExperimentalWarning", "config/main.ts"]
CMD ["start"]
