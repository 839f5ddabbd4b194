import type { EntityManager } from '@mikro-orm/postgresql'
import type { Query } from '#analytics/store/query.ts'
import type { CostColumn, SavedColumn } from '#analytics/store/slice.ts'
import type { EffectCall } from '#engine/run/effect.ts'
import type { Clock, Reads } from '#engine/actor/ports.ts'
import type { Publisher } from '#engine/run/publisher.ts'
import type { Shards } from '#engine/store/clickhouse/shards.ts'
import type { Reporter } from '#engine/reporter.ts'
import type { Open, Seal } from '#engine/seal.ts'
import type { Static, TObject } from '#engine/value/schema.ts'
import type { LineSink } from '#streams/billing/reader.ts'
import type { BudgetScope } from '#streams/budget.ts'
import type { Clouds } from '#streams/cloud/index.ts'
import type { Channels, Webhooks } from '#streams/delivery/index.ts'
import type { ReportMaker } from '#streams/delivery/report.ts'
import type { FocusParts } from '#streams/export.ts'
import type { DeliveryOutcome } from '#streams/delivery/outcome.ts'
import type { JobRun } from '#streams/job.ts'
import type { Teller } from '#streams/live/teller.ts'
import type { ChannelType } from '#streams/notification/channel.ts'
import type { SourceSecrets } from '#streams/source/secrets.ts'

/**
 * Runs a ClickHouse query; `params` name the organization. @throws Fault like `run` of analytics, when it exceeds the
 * limits of background work
 */
export type Ask = <P extends TObject, R extends TObject>(
  q: Query<P, R>,
  params: Static<P>,
) => Promise<readonly Readonly<Static<R>>[]>

/** What background work may use. Created once, by `config/wiring/works.ts`; each work names the parts it needs. */
export interface Tools {
  /** Not limited to one organization, like everything here. */
  readonly reads: Reads
  readonly publisher: Publisher
  /** Stores the lines of an export; they count as they are stored. */
  readonly lineStore: (bill: {
    id: string
    at: string
    orgId: string
    cloudAccountId: string
  }) => LineSink & { flush: () => Promise<void> }
  /** Sends events to current listeners immediately; the change must already be readable. */
  readonly live: Pick<Teller, 'tell'>
  readonly clock: Clock
  readonly now: () => Date
  readonly em: () => EntityManager
  readonly ask: Ask
  /** For computation within ClickHouse. */
  readonly shards: Shards
  /** The cost type that is shown, evaluated and summed by default. */
  readonly cost: CostColumn
  /** The savings in the totals of closed months. */
  readonly saved: SavedColumn
  /** The cloud of an account. */
  readonly cloudOf: Clouds['of']
  readonly channels: Channels
  readonly webhooks: Webhooks
  /** The public URL of this service, without a trailing slash; empty if no edge runs and none is configured. */
  readonly publicUrl: () => string
  /** Keys that sign links in messages, 32 bytes each: the first signs, earlier ones are still accepted. */
  readonly linkSecrets: () => readonly Buffer[]
  readonly open: Open
  readonly seal: Seal
  /** Secrets shared with source hosts and builders; never shown. */
  readonly source: SourceSecrets
  /** Creates the content of a saved view for a mail. */
  readonly savedReport: ReportMaker
  /** The lines that scheduled exports write. */
  readonly focusParts: FocusParts
  /** Called at the end of each run of a scheduled export. */
  readonly exported: (outcome: 'succeeded' | 'failed') => void
  /**
   * Forecasts of budgets for the end of the month in US dollars, by id; budgets without one are left out.
   */
  readonly budgetForecasts: (
    orgId: string,
    budgets: readonly { id: string; scope: BudgetScope }[],
  ) => Promise<ReadonlyMap<string, number>>
  readonly exportsFolder: string
  /** Whether addresses given by customers may be in private networks. */
  readonly allowPrivate: boolean
  /** What starts and stops resources: this service, or the programs that read `exec.intent`. */
  readonly executor: 'embedded' | 'stream'
  /** Whether administrators get mails about the end of workflows, not only about approvals. */
  readonly notifyTerminal: boolean
  /** Whether administrators get mails about provisioning that failed because of Tidemark. */
  readonly notifyProvisioning: boolean
  /** Messages per second that this process sends to a channel, and for an organization; 0 means no limit. */
  readonly pace: { perSecond: number; orgPerSecond: number }
  /** Called for each delivery attempt: the channel, the result, and how long ago the event was. */
  readonly tried: (one: { channel: ChannelType; outcome: DeliveryOutcome['outcome']; sinceMs: number }) => void
  /** The number of this process among those that run, 1 to 63. */
  readonly track: () => number
  readonly report: Reporter
}

/**
 * Runs the job. Publishes its messages to the organization's actors before it resolves. Returns the newest finished day
 * or month.
 */
export type JobWork = (run: JobRun, call: EffectCall) => Promise<string | void>
