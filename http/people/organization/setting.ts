/** Settings of an organization: one row, one column for each setting. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { Fault } from '#engine/value/fault.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { orNull, Timestamp, timestamp } from '#http/edge/parameter/field.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { recordEvent } from '#http/identity/organization/audit.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import { hasSecondFactor } from '#http/identity/second-factor/second-factor.ts'
import { OidcConnection } from '#http/identity/provider/oidc-entity.ts'
import { SamlConnection } from '#http/identity/provider/saml-entity.ts'
import { providerMethods, Session } from '#http/identity/session/session-entity.ts'
import { consolidations, OrganizationSetting } from '#http/identity/organization/setting-entity.ts'
import { costConsolidated } from '#streams/cost.ts'
import { asService } from '#http/store/tenant.ts'

const fields = {
  requireSecondFactor: t.Boolean({
    description: 'sessions without a second factor are rejected with 403 second_factor_required, except to enable one',
  }),
  anomalyNotifyMinUSD: t.Number({
    minimum: 0,
    maximum: 1e9,
    description:
      'US dollars: anomalies that are less than this amount above their baseline are recorded without notification',
  }),
  anomalyNotifyRecurring: t.Boolean({
    description: 'whether to notify about anomalies that recur weekly or monthly; if false, they are only recorded',
  }),
  consolidated: t.Enum(consolidations, {
    description:
      "which bill counts if the payer's bill and the member account's own bill have the same charges on a day: the payer's, or the member's own; nothing is deleted",
  }),
}
const SettingsView = t.Object(
  {
    ...fields,
    hasIdentityProvider: t.Boolean({
      description: 'whether a SAML connection exists: see GET /organisations/:orgID/saml',
    }),
    hasOpenIDProvider: t.Boolean({
      description: 'whether an OpenID Connect connection exists: see GET /organisations/:orgID/oidc',
    }),
    updatedAt: orNull(Timestamp),
  },
  {
    title: 'OrganizationSettings',
    examples: [
      {
        requireSecondFactor: false,
        anomalyNotifyMinUSD: 50,
        anomalyNotifyRecurring: false,
        consolidated: 'payer',
        hasIdentityProvider: false,
        hasOpenIDProvider: false,
        updatedAt: '2026-01-15T10:00:00.000Z',
      },
    ],
  },
)
const SettingsBody = t.Partial(t.Object(fields), {
  examples: [{ requireSecondFactor: false }, { anomalyNotifyMinUSD: 50 }],
})

/** Only the caller's own organization is accessible; any other looks missing. */
function own(caller: Caller, orgId: string): string {
  if (caller.orgId !== orgId) throw Fault.missing('organization', orgId)
  return orgId
}

async function loadSettingsView(em: EntityManager, orgId: string): Promise<Static<typeof SettingsView>> {
  const row = await em.findOne(OrganizationSetting, { orgId })
  const [saml, oidc] = [await em.count(SamlConnection, { orgId }), await em.count(OidcConnection, { orgId })]
  return {
    requireSecondFactor: row?.requireSecondFactor ?? false,
    anomalyNotifyMinUSD: row?.anomalyNotifyMinUsd ?? 0,
    anomalyNotifyRecurring: row?.anomalyNotifyRecurring ?? false,
    consolidated: row?.consolidated ?? 'payer',
    hasIdentityProvider: saml > 0,
    hasOpenIDProvider: oidc > 0,
    updatedAt: timestamp(row?.updatedAt),
  }
}

/** @throws Fault `forbidden` `second_factor_required` if the caller would be locked out */
async function checkOwn({ userId, sessionId }: Caller, { identity }: Services): Promise<void> {
  const has = await asService(async () => {
    const em = identity.em()
    if (sessionId === undefined) return userId !== '' && hasSecondFactor(em, userId)
    const { secondFactor, method } = await em.findOneOrFail(Session, { id: sessionId })
    return secondFactor || (providerMethods as readonly string[]).includes(method)
  })
  if (!has) throw Fault.forbidden('second_factor_required', 'Enable your own two-factor authentication first.')
}

const routeBase = { path: '/organisations/:orgID/settings', permission: 'admin', tags: ['Organizations'] } as const
const params = t.Object({ orgID: t.String() })

export const organizationSettings: readonly Route[] = [
  route({
    ...routeBase,
    method: 'GET',
    summary: 'Get the settings of the organization',
    description: 'Settings that were never changed have their defaults. Only owners and admins of the organization.',
    params,
    reply: SettingsView,
    handle: async ({ caller, params: { orgID } }, { em }) => loadSettingsView(em, own(caller, orgID)),
  }),
  route({
    ...routeBase,
    method: 'PATCH',
    summary: 'Update the settings of the organization; takes effect within five seconds',
    description:
      'Omitted fields are unchanged. To require two-factor authentication, you must have enabled it yourself. Only owners and admins of the organization.',
    params,
    body: SettingsBody,
    reply: SettingsView,
    refuses: { 403: ['second_factor_required'] },
    handle: async ({ caller, params: { orgID }, body, client }, services) => {
      const { em, identity } = services
      const { userId, principal } = caller
      const orgId = own(caller, orgID)
      const { anomalyNotifyMinUSD: anomalyNotifyMinUsd, ...more } = body
      const given = { ...more, ...(anomalyNotifyMinUsd !== undefined && { anomalyNotifyMinUsd }) }
      if (body.requireSecondFactor === true) await checkOwn(caller, services)
      const updatedAt = identity.now()
      await services.change(async ({ em: tx, tell }) => {
        await tx.upsert(OrganizationSetting, { orgId, ...given, updatedAt })
        const detail = Object.fromEntries(Object.entries(body).map(([name, value]) => [name, String(value)]))
        await recordEvent(tx, { type: 'settings_changed', orgId, userId, principal, detail }, client, updatedAt)
        if (body.consolidated !== undefined) await tell(costConsolidated, {})
      })
      identity.changed({ orgId })
      return loadSettingsView(em, orgId)
    },
  }),
]
