/** Firewalls: off without their addresses in the network. What those were is kept in tags of the firewall itself until it is started. */
import { cloudFault } from '#streams/cloud/connector.ts'
import { networkVersion } from '#streams/cloud/azure/discover/index.ts'
import { firewall as firewallOf } from '#streams/cloud/azure/map/network.ts'
import { propertiesOf } from '#streams/cloud/azure/map/resource.ts'
import {
  listOf,
  memberOf,
  objectOf,
  textAt,
  textsByName,
  type Json,
} from '#streams/cloud/kubernetes/api/json-access.ts'
import { unsupportedFault } from '#streams/cloud/resource/verb/kind.ts'
import { itemAt, put, seenAs, type At, type AzureKind, type AzureState } from './kind.ts'

/** While Azure changes it, which takes minutes, its body says already what it is to be. */
async function look(at: At): Promise<AzureState> {
  const seen = seenAs(await itemAt(at, networkVersion), firewallOf)
  if (seen.status !== 'pending') return seen
  const properties = propertiesOf(seen.item ?? {})
  // One of a virtual hub has its addresses there, and cannot be off.
  const isOn = memberOf(properties, 'hubIPAddresses') !== undefined || listOf(properties['ipConfigurations']).length > 0
  return { ...seen, status: isOn ? 'starting' : 'stopping' }
}

const prefix = 'tidemark-ip-'
/** Characters of a tag. */
const tagMax = 256

/** `<name> <subnet> <address>`, each without what all ids of the subscription begin with. */
function toTagValues({ session }: At, one: Json): string[] {
  const short = (id: string | undefined) => (id ?? '').replace(session.path(), '~')
  return [
    textAt(one, 'name') ?? '',
    short(textAt(one, 'properties', 'subnet', 'id')),
    short(textAt(one, 'properties', 'publicIPAddress', 'id')),
  ]
}

const members = ['name', 'subnet', 'address'] as const

/** Each address in the network is so many tags; that of management is the last. */
function tagsFor(at: At, configurations: readonly (readonly [string, Json])[]): Record<string, string> {
  const tags = configurations.flatMap(([key, one]) =>
    toTagValues(at, one).flatMap((value, place) =>
      value === '' ? [] : [[`${prefix}${key}-${members[place]}`, value] as const],
    ),
  )
  if (tags.some(([, value]) => value.length > tagMax) || tags.length > 30)
    throw unsupportedFault(at.ref, 'stopping: its tags have no room to store its addresses')
  return Object.fromEntries(tags)
}

async function off(at: At, { item }: AzureState): Promise<void> {
  const properties = propertiesOf(item ?? {})
  const management = objectOf(properties['managementIpConfiguration'])
  const all: (readonly [string, Json])[] = listOf(properties['ipConfigurations']).map((one, place) => [
    String(place),
    one,
  ])
  if (all.length === 0)
    throw unsupportedFault(at.ref, 'starting and stopping in a virtual hub: it has no addresses of its own')
  if (textAt(management, 'name') !== undefined) all.push(['management', management])
  const { managementIpConfiguration: _, ...rest } = properties
  await put(at, networkVersion, {
    ...item,
    tags: { ...textsByName(item?.['tags']), ...tagsFor(at, all) },
    properties: { ...rest, ipConfigurations: [] },
  })
}

async function on(at: At, { item }: AzureState): Promise<void> {
  const tags = textsByName(item?.['tags'])
  const keys = new Set(Object.keys(tags).flatMap((name) => /^tidemark-ip-(\w+)-name$/.exec(name)?.[1] ?? []))
  if (keys.size === 0)
    throw cloudFault('user_action', 'invalid_state', `The previous addresses of ${at.ref.resourceUid} are unknown.`, {
      fixHint:
        'Start it manually once, with its subnet and address. If it is then stopped here, it can be started here.',
    })
  const long = (text = '') => text.replace(/^~/, at.session.path())
  const configuration = (key: string) => {
    const of = (member: (typeof members)[number]) => tags[`${prefix}${key}-${member}`]
    return {
      name: of('name'),
      properties: {
        ...(of('subnet') && { subnet: { id: long(of('subnet')) } }),
        ...(of('address') && { publicIPAddress: { id: long(of('address')) } }),
      },
    }
  }
  const places = [...keys].filter((key) => key !== 'management').toSorted((a, b) => Number(a) - Number(b))
  await put(at, networkVersion, {
    ...item,
    tags: Object.fromEntries(Object.entries(tags).filter(([name]) => !name.startsWith(prefix))),
    properties: {
      ...propertiesOf(item ?? {}),
      ipConfigurations: places.map(configuration),
      ...(keys.has('management') && { managementIpConfiguration: configuration('management') }),
    },
  })
}

export const firewall: AzureKind = {
  look,
  start: on,
  stop: off,
}
