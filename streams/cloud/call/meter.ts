import { Counter, type Registry } from 'prom-client'

/** `throttled`: the cloud asks for fewer calls. `refused`: the cloud rejects the call. */
export const outcomes = ['ok', 'throttled', 'refused', 'failed', 'timeout'] as const
export type CallOutcome = (typeof outcomes)[number]

export interface CallMeter {
  made: (call: { provider: string; service: string }, outcome: CallOutcome) => void
}

export function measureCalls(registry: Registry): CallMeter {
  const made = new Counter({
    name: 'tidemark_cloud_calls_total',
    help: 'Calls to clouds by outcome, including retries',
    labelNames: ['provider', 'service', 'outcome'],
    registers: [registry],
  })
  return { made: ({ provider, service }, outcome) => made.inc({ provider, service, outcome }) }
}
