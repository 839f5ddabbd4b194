import { idOf } from '../world.ts'
import { below, location, uid, type ListedCase } from './case.ts'

const account = idOf('Microsoft.DocumentDB/databaseAccounts', 'Shop')
const [own, shared] = [`${account}/sqlDatabases/Own`, `${account}/sqlDatabases/Shared`]
const fields = { region: location, resourceGroup: 'Shop', parentUID: uid(account) }
const setting = (resource: object) => ({ id: 'x', properties: { resource } })

export const database: readonly ListedCase[] = [
  {
    type: 'azure-cosmos-container',
    answers: {
      '/providers/Microsoft.DocumentDB/databaseAccounts': {
        value: [
          { id: account, location, kind: 'GlobalDocumentDB', properties: {} },
          { id: `${account}-mongo`, location, kind: 'MongoDB', properties: {} },
        ],
      },
      [below(account, 'sqlDatabases')]: {
        value: [
          { id: own, name: 'Own' },
          { id: shared, name: 'Shared' },
        ],
      },
      [below(shared, 'throughputSettings/default')]: setting({ throughput: 400 }),
      [below(own, 'containers')]: { value: [{ id: `${own}/containers/Orders`, name: 'Orders' }] },
      [below(`${own}/containers/Orders`, 'throughputSettings/default')]: setting({
        throughput: 400,
        autoscaleSettings: { maxThroughput: 4000 },
      }),
      [below(shared, 'containers')]: { value: [{ id: `${shared}/containers/Carts`, name: 'Carts' }] },
    },
    wanted: [
      {
        resourceUid: uid(shared),
        name: 'Shared',
        ...fields,
        specs: { throughput_mode: 'manual', ru_per_second: 400, database: 'Shared', container: null },
      },
      {
        resourceUid: uid(`${own}/containers/Orders`),
        name: 'Orders',
        ...fields,
        specs: { throughput_mode: 'autoscale', ru_per_second: 4000, database: 'Own', container: 'Orders' },
      },
    ],
  },
]
