import { t, type Static } from '#engine/value/schema.ts'
import { commonFields } from '#streams/cloud/gcp/answer/compute.ts'
import { flag, list, text, texts } from '#streams/cloud/gcp/answer/field.ts'
import { listType } from '#streams/cloud/gcp/discover/listed.ts'
import { inProject, pathAs } from '#streams/cloud/gcp/discover/scoped.ts'
import { timeOf } from '#streams/cloud/gcp/map/resource.ts'
import { pathIn } from '#streams/cloud/gcp/resource-path.ts'

const Firewall = t.Object({
  ...commonFields,
  network: text,
  direction: text,
  disabled: flag,
  sourceRanges: texts,
  allowed: list(t.Object({ IPProtocol: text, ports: texts })),
})
type Firewall = Static<typeof Firewall>

const adminPorts = [22, 3389]
const databasePorts = [1433, 3306, 5432, 6379, 9200, 27_017]
const everywhere = ['0.0.0.0/0', '::/0']

/** To every address of the internet. Without ports a rule is for all of them. */
const isOpen = (port: number, { direction, sourceRanges = [], allowed = [] }: Firewall): boolean =>
  direction !== 'EGRESS' &&
  sourceRanges.some((range) => everywhere.includes(range)) &&
  allowed.some(
    ({ IPProtocol = '', ports }) =>
      ['tcp', '6', 'all'].includes(IPProtocol.toLowerCase()) &&
      (ports === undefined || ports.some((one) => has(one, port))),
  )

/** `22`, or `20-25`. */
function has(range: string, port: number): boolean {
  const [first, last = first] = range.split('-').map(Number)
  return first !== undefined && first <= port && port <= last!
}

const openOf = (ports: readonly number[]) => (rule: Firewall) => {
  const open = ports.filter((port) => isOpen(port, rule))
  return open.length === 0 ? null : open
}

const firewallsIn = inProject('firewalls', Firewall)

export const firewallRules = listType(firewallsIn, {
  type: 'gcp-firewall-rule',
  permissions: ['compute.firewalls.list'],
  uid: pathAs('firewalls'),
  fields: ({ name }) => ({ name, region: 'global' }),
  specs: {
    created_at: ({ creationTimestamp }) => timeOf(creationTimestamp),
    network: ({ network }) => pathIn(network),
    direction: ({ direction }) => direction,
    disabled: ({ disabled }) => disabled === true,
    open_admin_ports: openOf(adminPorts),
    open_database_ports: openOf(databasePorts),
  },
})
