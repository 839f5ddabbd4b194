import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'
import type { BillingExport } from '#streams/account/messages.ts'
import type { Membership, CloudOrganization, OrganizationState } from '#streams/account/organization.ts'
import type { Bills } from '#actors/account/bill/bills.ts'

export const accountStatuses = ['pending', 'connected', 'degraded', 'error', 'disabled', 'deleted'] as const
export const permissionVerdicts = ['unknown', 'none', 'read_only', 'read_write'] as const

/** `at`: when the refused credentials were used, ISO 8601; `verdict`: what they permitted before. */
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
    /**
     * A UUID derived from (organization, provider, externalId) if connected through the API; otherwise the id that
     * producers use.
     */
    id: p.text().primary(),
    name: p.text(),
    /** Empty until an event of the account names the provider. */
    provider: p.text().default(''),
    /** The provider's own number or name for the account. */
    externalId: p.text(),
    /** Sealed with AES-256-GCM, base64; null for accounts fed by their own producers. Never shown. */
    credentials: p.text().nullable(),
    /** Empty means every enabled region. */
    regions: p.json<string[]>().defaultRaw(`'[]'`),
    status: p.enum(accountStatuses).$type<(typeof accountStatuses)[number]>(),
    permissionVerdict: p.enum(permissionVerdicts).$type<(typeof permissionVerdicts)[number]>().default('unknown'),
    missingPermissions: p.json<string[]>().defaultRaw(`'[]'`),
    billingExport: p.json<BillingExport>().nullable(),
    message: p.text().nullable(),
    /**
     * Set while the account is in error because the cloud refused its credentials during a call; null if a verification
     * found the error.
     */
    refusal: p.json<CredentialRefusal>().nullable(),
    lastVerifiedAt: p.datetime(3).nullable(),
    /** Set when the account is connected; the first successful verification requests the first sync of the bills. */
    firstSyncDue: p.boolean().default(false),
    /** End of the last complete discovery. */
    lastSyncedAt: p.datetime(3).nullable(),
    /** The scan in progress, if any, and its start by its producer's time. */
    refreshId: p.text().default(''),
    refreshStartedAt: p.datetime(3).nullable(),
    /** The newest scan that has ended: a repeat of its end is ignored. */
    endedRefreshId: p.text().default(''),
    /** The newest day of the bill that the provider has declared closed. */
    billingClosedDay: p.text().nullable(),
    /** Which export is shown for each billing period, and which are open. */
    bills: p.json<Bills>().defaultRaw(`'{"shown":{},"begun":{},"open":[],"told":[],"removed":[],"ignored":0}'`),
    /**
     * Up to this month (YYYY-MM) lines may be stored from before exports were known; empty for accounts created later.
     */
    oldThrough: p.text().default(''),
    /** Only if the account manages a cloud organization. */
    organization: p.json<CloudOrganization>().nullable(),
    organizationState: p.json<OrganizationState>().nullable(),
    /** What the cloud organization reports about the account; kept when the account leaves it. */
    membership: p.json<Membership>().nullable(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
})

/** A connected cloud account. Written only by the account actor. */
export class CloudAccount extends schema.class {}
schema.setClass(CloudAccount)
