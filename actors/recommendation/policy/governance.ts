/**
 * The policy of domain `governance`, one for each organization: environments, business hours, tags, regions and sizes
 * that rules read.
 */
import type { SpecError } from '#actors/capability.ts'
import type { PolicyRow } from '#actors/policy/queries.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { isZone } from '#streams/cron/zone.ts'
import { environments } from '#streams/tagging.ts'
import { text } from '#streams/text.ts'

const names = (description: string, maxItems = 100) =>
  t.Array(text({ minLength: 1, maxLength: 256 }), { maxItems, description })
const hour = text({ pattern: '^([01]\\d|2[0-3]):[0-5]\\d$|^24:00$', description: 'HH:MM' })

export const GovernanceSpec = t.Object({
  nonprodEnvs: t.Optional(t.Array(t.Enum(environments), { maxItems: 3, description: 'non-production environments' })),
  businessHours: t.Optional(
    t.Object({
      days: t.Array(t.Integer({ minimum: 1, maximum: 7 }), { minItems: 1, maxItems: 7, description: '1 is Monday' }),
      from: hour,
      to: hour,
    }),
  ),
  timezone: t.Optional(text({ minLength: 1, maxLength: 64, description: 'IANA time zone' })),
  envTagKeys: t.Optional(names('tag keys for the environment; the first one present on a resource is used', 10)),
  requiredTags: t.Optional(names('tag keys that every resource must have', 50)),
  allowedTagValues: t.Optional(
    t.Record(text({ minLength: 1, maxLength: 128 }), names('allowed values'), {
      maxProperties: 50,
      description: 'by tag key; keys that are not listed can have any value',
    }),
  ),
  allowedRegions: t.Optional(names('allowed regions; default or empty: all')),
  allowedInstanceTypes: t.Optional(names('allowed instance types; default or empty: all')),
  optOutTag: t.Optional(
    text({ maxLength: 384, description: 'key=value: resources with this tag get no cost recommendations; empty: off' }),
  ),
  sizeFamilies: t.Optional(names('instance families that rightsizing may choose from; default or empty: all')),
})
export type GovernanceSpec = Static<typeof GovernanceSpec>

/** Defaults of fields that are not set. */
export const governanceDefaults: Required<GovernanceSpec> = {
  nonprodEnvs: ['dev', 'staging'],
  businessHours: { days: [1, 2, 3, 4, 5], from: '08:00', to: '18:00' },
  timezone: 'UTC',
  envTagKeys: ['environment', 'env', 'stage'],
  requiredTags: [],
  allowedTagValues: {},
  allowedRegions: [],
  allowedInstanceTypes: [],
  optOutTag: 'cost-recommendations=ignore',
  sizeFamilies: [],
}

/** The oldest enabled policy counts. */
export const governanceOf = ([first]: readonly PolicyRow[]): Required<GovernanceSpec> => ({
  ...governanceDefaults,
  ...(first?.spec as GovernanceSpec | undefined),
})

const minutes = (at: string): number => Number(at.slice(0, 2)) * 60 + Number(at.slice(3))

/** Business hours per week. */
export const businessHoursPerWeek = ({ businessHours: { days, from, to } }: Required<GovernanceSpec>): number =>
  (new Set(days).size * (minutes(to) - minutes(from))) / 60

export function governanceErrors({ businessHours, timezone }: GovernanceSpec): SpecError[] {
  const errors: SpecError[] = []
  if (businessHours && minutes(businessHours.from) >= minutes(businessHours.to))
    errors.push({ path: '/businessHours/to', code: 'range', message: 'must be after the start time (from)' })
  if (timezone !== undefined && !isZone(timezone))
    errors.push({ path: '/timezone', code: 'format', message: 'is not an IANA time zone, for example Europe/Berlin' })
  return errors
}

export const governanceExample: GovernanceSpec = {
  nonprodEnvs: ['dev', 'staging'],
  businessHours: { days: [1, 2, 3, 4, 5], from: '08:00', to: '18:00' },
  timezone: 'Europe/Berlin',
  requiredTags: ['owner', 'cost-center'],
  allowedRegions: ['eu-west-1', 'europe-west1', 'westeurope'],
}
