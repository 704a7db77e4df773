/**
 * OpenTelemetry traces, one for each delivery: the webhook, the jobs that it asked for, and the calls of git and of the
 * forge inside them. Nothing of OpenTelemetry is loaded where traces are off.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

type Attributes = Readonly<Record<string, string | number | boolean>>;

export interface Tracing extends AsyncDisposable {
  /** Does the work as a span below `parent` (what `carry` gave), or below the span that runs now. */
  span<Result>(
    name: string,
    attributes: Attributes,
    work: () => Promise<Result>,
    parent?: string,
  ): Promise<Result>;
  /** Notes a span that has just ended, below the span that runs now; nothing where none runs. */
  ended(name: string, attributes: Attributes, milliseconds: number, failed: boolean): void;
  /** The span that runs now, to be written on a job; a `traceparent` (https://www.w3.org/TR/trace-context/). */
  carry(): string | undefined;
}

export const NO_TRACES: Tracing = {
  span: (_name, _attributes, work) => work(),
  ended: () => {},
  carry: () => undefined,
  [Symbol.asyncDispose]: async () => {},
};

/** Where spans go, OTLP over HTTP. The standard variables OTEL_EXPORTER_OTLP_* say more (headers, timeouts). */
export interface TracingOptions {
  /** Address of the collector, without `/v1/traces`. */
  readonly endpoint: string;
  readonly version: string;
}

export async function openTracing({ endpoint, version }: TracingOptions): Promise<Tracing> {
  const [{ ROOT_CONTEXT, SpanStatusCode, trace }, sdk, { OTLPTraceExporter }, { resourceFromAttributes }] =
    await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
    ]);
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/(?<!\/)\/+$/, '')}/v1/traces` });
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'portico', 'service.version': version }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter })],
  });
  const tracer = provider.getTracer('portico', version);
  const running = new AsyncLocalStorage<typeof ROOT_CONTEXT>();

  function parentContext(parent: string | undefined): typeof ROOT_CONTEXT {
    const match = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(parent ?? '');
    if (match?.[1] === undefined || match[2] === undefined) return running.getStore() ?? ROOT_CONTEXT;
    const { 1: traceId, 2: spanId } = match;
    return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: 1, isRemote: true });
  }

  return {
    async span(name, attributes, work, parent) {
      const context = parentContext(parent);
      const span = tracer.startSpan(name, { attributes }, context);
      try {
        return await running.run(trace.setSpan(context, span), work);
      } catch (error) {
        // The code alone: a message may hold what belongs to a repository.
        const { code } = error as { readonly code?: unknown };
        span.setStatus({
          code: SpanStatusCode.ERROR,
          message: typeof code === 'string' ? code : 'UNEXPECTED',
        });
        throw error;
      } finally {
        span.end();
      }
    },
    ended(name, attributes, milliseconds, failed) {
      const context = running.getStore();
      if (context === undefined) return;
      const now = Date.now();
      const span = tracer.startSpan(name, { attributes, startTime: now - milliseconds }, context);
      if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(now);
    },
    carry() {
      const context = running.getStore();
      const span = context && trace.getSpanContext(context);
      return span && `00-${span.traceId}-${span.spanId}-01`;
    },
    [Symbol.asyncDispose]: () => provider.shutdown(),
  };
}
