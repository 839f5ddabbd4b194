/** Typed names of everything that the process contains. */
import type { InjectionToken } from 'tsyringe'
import type Koa from 'koa'
import type { Asker } from '#engine/actor/ask.ts'
import type { Engine } from '#engine/run/engine.ts'
import type { Meter } from '#engine/meter.ts'
import type { Reads } from '#engine/actor/ports.ts'
import type { Publisher } from '#engine/run/publisher.ts'
import type { AnswerCache } from '#analytics/store/answer-cache.ts'
import type { Exports } from '#actors/export/folder.ts'
import type { Tools } from '#actors/tools.ts'
import type { Incoming } from '#http/edge/edge.ts'
import type { Identity } from '#http/identity/index.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import type { Services } from '#http/edge/services.ts'
import type { LiveStreams } from '#http/live/streams.ts'
import type { Clouds } from '#streams/cloud/index.ts'
import type { Channels } from '#streams/delivery/index.ts'
import type { Teller } from '#streams/live/teller.ts'
import type { SourceSecrets } from '#streams/source/secrets.ts'
import type { Notices } from './notices.ts'
import type { Sealing, SealKeys } from '#config/secrets/seal.ts'
import type { ReportTurns } from './turns.ts'

/** DNS queries. */
export interface Dns {
  txtRecords: (name: string) => Promise<string[]>
}

/** A typed name for one object of the process. */
export interface Token<T> {
  key: InjectionToken<T>
}
const token = <T>(name: string): Token<T> => ({ key: Symbol(name) as InjectionToken<T> })

export const tokens = {
  reads: token<Reads>('Reads'),
  answers: token<AnswerCache | undefined>('Answers'),
  turns: token<ReportTurns>('Turns'),
  keys: token<SealKeys>('Keys'),
  seal: token<Sealing>('Seal'),
  identity: token<Identity>('Identity'),
  clouds: token<Clouds>('Clouds'),
  meter: token<Meter>('Meter'),
  dns: token<Dns>('Dns'),
  channels: token<Channels>('Channels'),
  asker: token<Asker>('Asker'),
  publisher: token<Publisher>('Publisher'),
  teller: token<Teller>('Teller'),
  streams: token<LiveStreams>('Streams'),
  engine: token<Engine>('Engine'),
  services:
    token<(caller: Pick<Caller, 'orgId'> & Partial<Pick<Caller, 'kind' | 'userId'>>, incoming?: Incoming) => Services>(
      'Services',
    ),
  exports: token<Exports>('Exports'),
  notices: token<Notices>('Notices'),
  source: token<SourceSecrets>('Source'),
  tried: token<Tools['tried']>('Tried'),
  exported: token<Tools['exported']>('Exported'),
  edge: token<Koa>('Edge'),
}

/** The address under which callers reach the edge; known once it listens. */
export interface Site {
  publicUrl: string
}

export interface Product {
  get<T>(what: Token<T>): T
  site: Site
}
