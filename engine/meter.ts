import { Counter, Gauge, Histogram, Registry } from 'prom-client'

/** The engine's metrics in Prometheus format; one instance per process. */
export class Meter {
  readonly registry = new Registry()
  readonly messages = this.counter('tidemark_messages_total', 'Messages read from the lanes and committed', ['lane'])
  readonly turns = this.counter('tidemark_turns_total', 'Turns run and committed', ['lane'])
  readonly echoes = this.counter('tidemark_echoes_total', 'Messages without a change, processed without a turn', [
    'lane',
  ])
  readonly deadLetters = this.counter('tidemark_dead_letters_total', 'Messages dead-lettered because of a fault', [
    'lane',
  ])
  readonly dropped = this.counter(
    'tidemark_dropped_messages_total',
    'Messages dropped because their organization is closed',
    ['lane'],
  )
  readonly overQuota = this.counter('tidemark_over_quota_total', 'Messages dead-lettered because of a quota', ['lane'])
  readonly commits = this.counter('tidemark_commits_total', 'Commits by outcome', ['lane', 'outcome'])
  readonly facts = this.counter('tidemark_fact_rows_total', 'Rows appended to ClickHouse', ['table'])
  readonly lag = this.gauge('tidemark_lane_lag_messages', 'Messages of a lane not yet committed', ['lane'])
  readonly activations = this.gauge('tidemark_activations', 'Actor rows held in memory', ['lane'])
  readonly lanes = this.gauge('tidemark_lanes_owned', 'Lanes this process owns', [])
  readonly relayed = this.counter('tidemark_outbox_published_total', 'Outbox rows published', [])
  readonly projected = this.counter('tidemark_projection_keys_total', 'Projection keys recomputed', ['projection'])
  readonly effects = this.counter('tidemark_effects_total', 'Outbound calls by outcome', ['effect', 'outcome'])
  readonly effectLag = this.gauge(
    'tidemark_effect_lag_seconds',
    'Seconds since the oldest pending call of a pool became due',
    ['pool'],
  )
  readonly retries = this.counter(
    'tidemark_store_retries_total',
    'Retries because a store was unavailable or rejected a request',
    ['store'],
  )
  readonly commitSeconds = new Histogram({
    name: 'tidemark_commit_seconds',
    help: 'Time from the end of the turns to the end of the commit',
    labelNames: ['part'],
    buckets: [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10],
    registers: [this.registry],
  })
  readonly batchMessages = new Histogram({
    name: 'tidemark_batch_messages',
    help: 'Messages in a batch',
    buckets: [1, 5, 20, 100, 500, 2000, 5000],
    registers: [this.registry],
  })

  private counter(name: string, help: string, labelNames: string[]): Counter {
    return new Counter({ name, help, labelNames, registers: [this.registry] })
  }

  private gauge(name: string, help: string, labelNames: string[]): Gauge {
    return new Gauge({ name, help, labelNames, registers: [this.registry] })
  }
}
