/** Declares what a capability adds to the product, as one value; `index.ts` lists them all. */
import type { EntityClass } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { EffectWork } from '#engine/run/effect.ts'
import type { ProjectionWork } from '#engine/run/projection.ts'
import type { SealedColumn } from '#engine/seal.ts'
import type { TSchema } from '#engine/value/schema.ts'
import { migrationsIn, type SqlMigration } from '#engine/store/migrate.ts'
import type { RecordChange } from '#engine/run/tell.ts'
import type { JobWork, Tools } from '#actors/tools.ts'
import type { JobName } from '#streams/job.ts'

export interface Capability {
  /** The capability's name in every layer, and of its folder here. */
  readonly word: string
  readonly entities?: readonly EntityClass<unknown>[]
  /** Return values of `defineActor`. */
  readonly actors?: readonly unknown[]
  readonly jobs?: Readonly<Partial<Record<JobName, (tools: Tools) => JobWork>>>
  readonly effects?: readonly ((tools: Tools) => EffectWork)[]
  /** Projections; those with the same marks run in this order. */
  readonly projections?: (tools: Tools) => readonly ProjectionWork[]
  /** The policy domains it defines. */
  readonly policies?: readonly PolicyDomain[]
  /** The encrypted columns of its tables. */
  readonly sealed?: readonly SealedColumn[]
  /**
   * Whether it has a folder `migrations`: its files run after those of `actors/migrations`, in the order of their
   * names.
   */
  readonly migrates?: boolean
}

/** Recorded by capability and file name, so that two capabilities may use the same number. */
export const migrationsOf = (capabilities: readonly Capability[], folder: URL): SqlMigration[] =>
  capabilities
    .filter(({ migrates }) => migrates)
    .flatMap(({ word }) => migrationsIn(new URL(`${word}/migrations/`, folder), word))

/** One error in a spec: `path` is a JSON pointer into it. */
export interface SpecError {
  path: string
  code: string
  message: string
}

/** The parts of a changed policy that its domain gets. */
interface ChangedPolicy {
  readonly id: string
  readonly name: string
  readonly spec: unknown
  readonly enabled: boolean
  readonly createdAt: Date
}

/** A policy domain: the shape of a spec, further checks, and the effects of a change. */
export interface PolicyDomain {
  readonly name: string
  /** One sentence for people. */
  readonly summary: string
  readonly schema: TSchema
  readonly examples: readonly unknown[]
  /** Maximum policies per organization. */
  readonly max: number
  /** Its policies decide what may be done to clouds, so only owners and admins may create, change and delete them. */
  readonly adminOnly?: true
  /** Attributes that selectors of the domain may use. */
  readonly attrs: readonly string[]
  /** Checks beyond the schema; `spec` already matches it. May read the organization's data. */
  check(spec: never, em: EntityManager, orgId: string): Promise<readonly SpecError[]> | readonly SpecError[]
  /** Effects of a change, in its transaction; `policy` is the current one, or the last one if it was deleted. */
  changed?(change: RecordChange, policy: ChangedPolicy, isDeleted: boolean): Promise<void>
}

/** Maximum policies of a domain per organization, unless the domain sets its own limit. */
export const policiesMax = 200
