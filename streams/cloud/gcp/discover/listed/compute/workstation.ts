import { t } from '#engine/value/schema.ts'
import { text } from '#streams/cloud/gcp/answer/field.ts'
import {
  allOf,
  also,
  listType,
  usualMembers,
  onceIn,
  pagesOf,
  regionOf,
  secondsOf,
  uidIn,
} from '#streams/cloud/gcp/discover/listed.ts'
import { timeOf } from '#streams/cloud/gcp/map/resource.ts'
import { lastOf } from '#streams/cloud/gcp/resource-path.ts'

const Workstation = t.Object(usualMembers)
const Config = t.Object({ name: t.String(), idleTimeout: text })

const configsPath = (project: string) => `/projects/${project}/locations/-/workstationClusters/-/workstationConfigs`

/** By the name of the configuration; zero: it never ends a session. */
const idleTimeouts = onceIn((place) =>
  also(place, 'workstations.workstationConfigs.list', async () => {
    const path = configsPath(place.project)
    const call = { service: 'workstations', path, permission: 'workstations.workstationConfigs.list' } as const
    const found = await allOf(place, call, 'workstationConfigs', Config)
    return new Map(found.map(({ name, idleTimeout }) => [name, secondsOf(idleTimeout)]))
  }),
)

export const workstations = listType(
  pagesOf(
    (project) => ({
      service: 'workstations',
      path: `${configsPath(project)}/-/workstations`,
      permission: 'workstations.workstations.list',
    }),
    'workstations',
    Workstation,
  ),
  {
    type: 'gcp-workstation',
    permissions: ['workstations.workstations.list', 'workstations.workstationConfigs.list'],
    detail: async ({ name }, place) => {
      const seconds = (await idleTimeouts(place))?.get(name.replace(/\/workstations\/[^/]+$/, ''))
      return seconds === undefined ? undefined : seconds / 60
    },
    uid: ({ name }, place) => uidIn('workstations', name, place),
    fields: ({ name, state, labels }) => ({ name: lastOf(name), region: regionOf(name), state, labels }),
    specs: {
      created_at: ({ createTime }) => timeOf(createTime),
      state: ({ state }) => state,
      idle_timeout_minutes: (_, minutes) => minutes,
    },
  },
)
