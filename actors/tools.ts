import type { ClickHouseClient } from '@clickhouse/client'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Query } from '#analytics/store/query.ts'
import type { CostColumn, SavedColumn } from '#analytics/store/slice.ts'
import type { EffectCall } from '#engine/run/effect.ts'
import type { Clock, Reads } from '#engine/actor/ports.ts'
import type { Publisher } from '#engine/run/publisher.ts'
import type { Reporter } from '#engine/reporter.ts'
import type { Open, Seal } from '#engine/seal.ts'
import type { Static, TObject } from '#engine/value/schema.ts'
import type { Clouds } from '#streams/cloud/index.ts'
import type { Channels, Webhooks } from '#streams/delivery/index.ts'
import type { ReportMaker } from '#streams/delivery/report.ts'
import type { Outcome } from '#streams/delivery/outcome.ts'
import type { JobRun } from '#streams/job.ts'
import type { Teller } from '#streams/live/teller.ts'
import type { ChannelType } from '#streams/notification/channel.ts'
import type { SourceSecrets } from '#streams/source/secrets.ts'

/** Asks ClickHouse; `params` name the organization. @throws Fault as `run` of analytics, beyond the bounds of work in the background */
export type Ask = <P extends TObject, R extends TObject>(
  q: Query<P, R>,
  params: Static<P>,
) => Promise<readonly Readonly<Static<R>>[]>

/** What work beside turns may use. Made once, by `config/wiring/works.ts`; each work names the part of it that it needs. */
export interface Tools {
  /** Sees all organizations, as everything here. */
  readonly reads: Reads
  readonly publisher: Publisher
  /** Tells whoever listens, at once; what it tells shows already. */
  readonly live: Pick<Teller, 'tell'>
  readonly clock: Clock
  readonly now: () => Date
  readonly em: () => EntityManager
  readonly ask: Ask
  /** For what is worked out within ClickHouse. */
  readonly clickhouse: ClickHouseClient
  /** Which of the four costs is shown, judged and summed where nobody chooses. */
  readonly cost: CostColumn
  /** Which savings the totals of closed months are. */
  readonly saved: SavedColumn
  /** The cloud an account is in. */
  readonly cloudOf: Clouds['of']
  readonly channels: Channels
  readonly webhooks: Webhooks
  /** Where callers reach this service, without a slash at the end; empty where no edge runs and none is named. */
  readonly publicUrl: () => string
  /** What links in messages are signed with, 32 bytes each: the first signs, those before it are good too. */
  readonly linkSecrets: () => readonly Buffer[]
  readonly open: Open
  readonly seal: Seal
  /** What is shared with hosts of sources and with builders: never told. */
  readonly source: SourceSecrets
  /** Makes what a saved view says when it is mailed. */
  readonly savedReport: ReportMaker
  readonly exportsFolder: string
  /** Whether addresses that customers give may lead into private networks. */
  readonly allowPrivate: boolean
  /** Who starts and stops resources: this service, or who listens at `exec.intent`. */
  readonly executor: 'embedded' | 'stream'
  /** Whether administrators are told by mail how workflows end, and not only that they wait. */
  readonly notifyTerminal: boolean
  /** Whether administrators are told by mail of provisioning that failed for what is ours to mend. */
  readonly notifyProvisioning: boolean
  /** Messages a second that a channel, and an organization, is sent by this process; 0 is no limit. */
  readonly pace: { perSecond: number; orgPerSecond: number }
  /** Told of each try to tell people: by what, what became of it, and how long ago the event was. */
  readonly tried: (one: { channel: ChannelType; outcome: Outcome['outcome']; sinceMs: number }) => void
  /** The process's number among those that run, 1 to 63. */
  readonly track: () => number
  readonly report: Reporter
}

/** Does the job. What it tells the organization's actors it publishes before it resolves. Returns the newest day or month that is finished. */
export type JobWork = (run: JobRun, call: EffectCall) => Promise<string | void>
