/** What a capability brings to the product, in one value; `index.ts` lists them. */
import type { EntityClass } from '@mikro-orm/core'
import type { EffectWork } from '#engine/effect.ts'
import type { ProjectionWork } from '#engine/projection.ts'
import type { SealedColumn } from '#engine/seal.ts'
import { migrationsIn, type SqlMigration } from '#engine/store/migrate.ts'
import type { JobWork, Tools } from '#actors/tools.ts'
import type { JobName } from '#streams/job.ts'

export interface Capability {
  /** What it is called in every layer; its folder here. */
  readonly word: string
  readonly entities?: readonly EntityClass<unknown>[]
  /** What `defineActor` returns. */
  readonly actors?: readonly unknown[]
  readonly jobs?: Readonly<Partial<Record<JobName, (tools: Tools) => JobWork>>>
  readonly effects?: readonly ((tools: Tools) => EffectWork)[]
  /** Those of the same marks in the order in which they run. */
  readonly projections?: (tools: Tools) => readonly ProjectionWork[]
  /** What its tables keep sealed. */
  readonly sealed?: readonly SealedColumn[]
  /** Whether it has a folder `migrations`: its files run behind those of `actors/migrations`, in the order of their names. */
  readonly migrates?: boolean
}

/** Recorded by word and file name: of two capabilities neither can take the other's number. */
export const migrationsOf = (capabilities: readonly Capability[], folder: URL): SqlMigration[] =>
  capabilities
    .filter(({ migrates }) => migrates)
    .flatMap(({ word }) => migrationsIn(new URL(`${word}/migrations/`, folder), word))
