import { t } from '#engine/value/schema.ts'
import { commonFields } from '#streams/cloud/gcp/answer/compute.ts'
import { count, list, text, texts } from '#streams/cloud/gcp/answer/field.ts'
import { listType } from '#streams/cloud/gcp/discover/listed.ts'
import { inScopes, pathAs, scopeRegion } from '#streams/cloud/gcp/discover/scoped.ts'
import type { ProjectScan, Search } from '#streams/cloud/gcp/discover/finder.ts'
import { timeOf } from '#streams/cloud/gcp/map/resource.ts'

const Nat = t.Object({ name: t.String(), natIps: texts, minPortsPerVm: count })
const Router = t.Object({ ...commonFields, id: text, nats: list(Nat) })
const routersIn = inScopes('routers', Router)

/** Gateways are parts of routers. */
async function* gatewaysIn(place: ProjectScan, search: Search) {
  for await (const routers of routersIn(place, search))
    yield routers.flatMap((router) => (router.nats ?? []).map((nat) => ({ router, nat })))
}

export const natGateways = listType(gatewaysIn, {
  type: 'gcp-cloud-nat',
  permissions: ['compute.routers.list'],
  uid: ({ router, nat }) => `${pathAs('routers')(router)}/nats/${nat.name}`,
  fields: ({ router, nat }) => ({ name: nat.name, region: scopeRegion(router) }),
  specs: {
    created_at: ({ router }) => timeOf(router.creationTimestamp),
    router: ({ router }) => router.name,
    router_id: ({ router }) => router.id,
    manual_ip_count: ({ nat }) => nat.natIps?.length ?? 0,
    min_ports_per_vm: ({ nat }) => nat.minPortsPerVm,
  },
})
