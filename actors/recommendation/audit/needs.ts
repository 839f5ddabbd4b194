/**
 * What turns of the audit read: the organization's policies and the reference tables. These reads do not wait for the
 * batch before.
 */
import { PolicyReads } from '#actors/policy/queries.ts'
import type { Leaning, Waiting } from '#engine/actor/actor.ts'
import type { TurnReads } from '#engine/actor/ports.ts'
import { governanceDefaults, governanceOf, type GovernanceSpec } from '#actors/recommendation/policy/governance.ts'
import { compileOverrides, type Override } from '#actors/recommendation/policy/override.ts'
import { ruleFailed } from './rule-fault.ts'
import type { Faulty } from './judge.ts'
import type { References } from '#actors/recommendation/rule/contract.ts'
import { catalogueVersion } from '#actors/recommendation/rule/catalogue.ts'
import { ReferenceCache } from '#actors/recommendation/reference/book/reference-cache.ts'
import type { ReferenceView } from '#actors/recommendation/reference/tables.ts'

interface AuditOrganization {
  governance: Required<GovernanceSpec>
  overrides: readonly Override[]
  /** Version of the catalogue, the tables and the policies together. */
  version: string
}

export interface AuditNeeds {
  organization: (orgId: string) => AuditOrganization
  references: (viewed: ReferenceView) => References
  faulty: Faulty
}

const governances = new PolicyReads('governance', governanceOf)
const overrides = new PolicyReads('recommendation', compileOverrides)
const referenceCache = new ReferenceCache()

/** May be slightly old: a change of policies is followed by a sweep, which starts later than that. */
const recent = { maxAgeMs: 2000 }

export async function auditNeeds(waiting: readonly Waiting[], reads: TurnReads): Promise<AuditNeeds> {
  return needsOf(
    waiting.map(({ address }) => address.orgId),
    reads,
  )
}

/** For each resource, whether the version it was judged by is the current one. */
export async function isJudgedAlike(asked: readonly Leaning<string>[], reads: TurnReads): Promise<boolean[]> {
  const { organization } = await needsOf(
    asked.map(({ address }) => address.orgId),
    reads,
  )
  return asked.map(({ address, on }) => organization(address.orgId).version === on)
}

async function needsOf(ofOrgs: readonly string[], reads: TurnReads): Promise<AuditNeeds> {
  const orgIds = [...new Set(ofOrgs)].toSorted()
  const [governed, overridden, references] = await Promise.all([
    governances.of(orgIds, reads, recent),
    overrides.of(orgIds, reads, recent),
    referenceCache.current((sql, params, options) => reads.plain(sql, params, options)),
  ])
  const known = new Map(
    orgIds.map((orgId): [string, AuditOrganization] => {
      const governance = governed.get(orgId)
      const rules = overridden.get(orgId)
      const versions = [catalogueVersion(), references.version, governance?.version, rules?.version]
      return [
        orgId,
        { governance: governance?.of ?? governanceDefaults, overrides: rules?.of ?? [], version: versions.join('/') },
      ]
    }),
  )
  return {
    organization: (orgId) => known.get(orgId) ?? { governance: governanceDefaults, overrides: [], version: '' },
    references: (viewed) => references.at(viewed),
    faulty: ruleFailed,
  }
}
