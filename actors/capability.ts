/** What a capability brings to the product, in one value; `index.ts` lists them. */
import type { EntityClass } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { EffectWork } from '#engine/run/effect.ts'
import type { ProjectionWork } from '#engine/run/projection.ts'
import type { SealedColumn } from '#engine/seal.ts'
import type { TSchema } from '#engine/value/schema.ts'
import { migrationsIn, type SqlMigration } from '#engine/store/migrate.ts'
import type { Change } from '#engine/run/tell.ts'
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
  /** The domains of policies that it works by. */
  readonly policies?: readonly PolicyDomain[]
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

/** What is wrong with a spec: `path` is a JSON pointer into it. */
export interface SpecError {
  path: string
  code: string
  message: string
}

/** What of a policy its domain hears when it changes. */
export interface ChangedPolicy {
  readonly id: string
  readonly name: string
  readonly spec: unknown
  readonly enabled: boolean
  readonly createdAt: Date
}

/** What a domain of policies says of its own: the shape of a spec, what it may not be, and what follows from a change. */
export interface PolicyDomain {
  readonly name: string
  /** One sentence for people. */
  readonly summary: string
  readonly schema: TSchema
  readonly examples: readonly unknown[]
  /** Policies of an organization, at most. */
  readonly max: number
  /** Its policies say what may be done to clouds, so they are made, changed and deleted by owners and admins alone. */
  readonly adminOnly?: true
  /** What selectors of the domain may ask for. */
  readonly attrs: readonly string[]
  /** What the schema cannot say; `spec` is of its shape. May read what it must of the organization. */
  check(spec: never, em: EntityManager, orgId: string): Promise<readonly SpecError[]> | readonly SpecError[]
  /** What follows from a change, in its transaction; `policy` as it is now, or was before it was deleted. */
  changed?(change: Change, policy: ChangedPolicy, isDeleted: boolean): Promise<void>
}

/** Policies of a domain an organization may have, unless its domain says otherwise. */
export const policiesMax = 200
