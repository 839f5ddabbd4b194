import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'
import type { BillingExport } from '#streams/account/messages.ts'
import type { Membership, CloudOrganization, OrganizationState } from '#streams/account/organization.ts'
import type { Bills } from '#actors/account/bill/bills.ts'

export const accountStatuses = ['pending', 'connected', 'degraded', 'error', 'disabled', 'deleted'] as const
export const permissionVerdicts = ['unknown', 'none', 'read_only', 'read_write'] as const

/** `at`: when the credentials were shown, ISO 8601; `verdict`: what they were good for until then. */
interface CredentialRefusal {
  at: string
  verdict: (typeof permissionVerdicts)[number]
}

const schema = defineEntity({
  name: 'CloudAccount',
  tableName: 'cloud_account',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    /** A UUID made of (organization, provider, externalId) when connected through the API; what producers say otherwise. */
    id: p.text().primary(),
    name: p.text(),
    /** Empty until an event of the account names it. */
    provider: p.text().default(''),
    /** The provider's own number or name of the account. */
    externalId: p.text(),
    /** AES-256-GCM sealed, base64; null for accounts fed by their own producers. Never shown. */
    credentials: p.text().nullable(),
    /** Empty means every enabled region. */
    regions: p.json<string[]>().defaultRaw(`'[]'`),
    status: p.enum(accountStatuses).$type<(typeof accountStatuses)[number]>(),
    permissionVerdict: p.enum(permissionVerdicts).$type<(typeof permissionVerdicts)[number]>().default('unknown'),
    missingPermissions: p.json<string[]>().defaultRaw(`'[]'`),
    billingExport: p.json<BillingExport>().nullable(),
    message: p.text().nullable(),
    /** While it is in error because the cloud refused its credentials when it was asked for something; null where a verification says so. */
    refusal: p.json<CredentialRefusal>().nullable(),
    lastVerifiedAt: p.datetime(3).nullable(),
    /** Set by being connected; the first verification that succeeds asks for the first sync of the bills. */
    firstSyncDue: p.boolean().default(false),
    /** End of the last discovery that found everything. */
    lastSyncedAt: p.datetime(3).nullable(),
    /** The scan under way, if any, and when it began by its producer's time. */
    refreshId: p.text().default(''),
    refreshStartedAt: p.datetime(3).nullable(),
    /** The newest scan that has ended: a repeat of its end changes nothing. */
    endedRefreshId: p.text().default(''),
    /** The newest day of the bill the provider has called finished. */
    billingClosedDay: p.text().nullable(),
    /** Which export is shown of each billing period, and what is open. */
    bills: p.json<Bills>().defaultRaw(`'{"shown":{},"begun":{},"open":[],"told":[],"removed":[],"ignored":0}'`),
    /** Up to this month (YYYY-MM) lines may be stored from before exports were known; empty for accounts that came later. */
    oldThrough: p.text().default(''),
    /** Of the account that an organization is connected by. */
    organization: p.json<CloudOrganization>().nullable(),
    organizationState: p.json<OrganizationState>().nullable(),
    /** What its organization says of it; kept when it leaves. */
    membership: p.json<Membership>().nullable(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
})

/** A connected cloud account. Written only by the account actor. */
export class CloudAccount extends schema.class {}
schema.setClass(CloudAccount)
