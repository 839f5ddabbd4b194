import { orgCommand, storeCommand } from '#config/command/line/build.ts'
import type { Command } from '#config/command/line/command.ts'
import { organizationFilter } from '#config/command/line/engine.ts'
import { argument, onlyOrg, org, toggle } from '#config/command/line/flag.ts'
import { operator } from '#config/command/line/operator.ts'
import { listOf } from '#config/command/line/table.ts'
import { waitUntilHeard } from '#config/wiring/identity-changed.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { Fault } from '#engine/value/fault.ts'
import { recordOf, verifyDomain } from '#http/identity/provider/domain.ts'
import { ProviderDomain } from '#http/identity/provider/entity.ts'

const show = (row: ProviderDomain) => ({
  orgId: row.orgId,
  domain: row.domain,
  status: row.verifiedAt ? 'verified' : 'pending',
  record: recordOf(row),
  verifiedAt: row.verifiedAt?.toISOString() ?? null,
})

const list = listOf<ReturnType<typeof show>>(
  {
    ORGANIZATION: 'orgId',
    DOMAIN: 'domain',
    STATUS: 'status',
    'TXT RECORD': ({ record }) => record.name,
    VALUE: ({ record }) => record.value,
  },
  'No domains.',
)

export const samlCommands: readonly Command[] = [
  storeCommand({
    name: 'saml domains',
    summary: 'List identity provider domains, their verification status and their TXT record',
    takes: { org: onlyOrg },
    run: async (instance, { org: named }) => {
      const orgId = await organizationFilter(instance, named)
      const where = orgId === undefined ? {} : { orgId }
      const em = instance.connections.orm.em.fork()
      return list((await em.find(ProviderDomain, where, { orderBy: { domain: 'asc', orgId: 'asc' } })).map(show))
    },
  }),
  orgCommand({
    name: 'saml verify-domain',
    summary: 'Verify a domain of an identity provider by its TXT record',
    takes: {
      domain: argument('DOMAIN', 'Domain from "saml domains"'),
      org,
      trust: toggle(
        'Skip the DNS check because you know who owns the domain. A domain verified by another organization is not moved',
      ),
    },
    run: async ({ connections, product }, orgId, { domain: typed, trust: isTrusted }) => {
      const domain = typed.toLowerCase()
      const tools = product().get(tokens.identity)
      const by = { principal: 'operator', client: operator }
      const work = verifyDomain(tools, { orgId, domain, isTrusted }, by, (prove) => tools.em().transactional(prove))
      const { verifiedAt } = await work.catch((error: unknown) => {
        throw new Error(Fault.from(error).message, { cause: error })
      })
      await waitUntilHeard(connections.nats)
      return { data: { orgId, domain, verifiedAt: verifiedAt!.toISOString() }, text: `${domain} is verified.` }
    },
  }),
]
