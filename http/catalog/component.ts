/** The catalog: what can be installed into clusters (decision G-89). */
import { componentCategories, components } from '#actors/catalog/components/load.ts'
import { t, type TObject } from '#engine/schema.ts'
import { componentFound } from '#http/catalog/config.ts'
import { componentExample } from '#http/catalog/example.ts'
import { route, type Route } from '#http/edge/route.ts'

const members = {
  id: t.String(),
  name: t.String(),
  category: t.Enum(componentCategories),
  version: t.String(),
  description: t.String(),
}

const Listed = t.Object(members, { title: 'CatalogComponent', examples: [componentExample] })

const Whole = t.Object(
  {
    ...members,
    clouds: t.Array(t.String(), { description: 'whose clusters it can be installed into' }),
    values: t.Unknown({
      description: 'JSON schema of the values that an installation takes, with what they are unless given',
    }),
  },
  {
    title: 'CatalogComponentDetail',
    examples: [
      {
        id: 'ingress-nginx',
        name: 'NGINX Ingress Controller',
        category: 'networking',
        version: '4.11.3',
        description: 'Leads requests from outside to services of the cluster.',
        clouds: ['aws', 'gcp', 'azure'],
        values: { type: 'object', properties: { replicas: { type: 'integer', default: 2 } } },
      },
    ],
  },
)

type Known = (typeof components)[number]
const show = ({ id, name, category, version, description }: Known) => ({ id, name, category, version, description })

const schemaOf = (values: TObject): Record<string, unknown> => ({ ...values })

const fixed = { tags: ['Catalog'], permission: 'provisioning.view', method: 'GET' } as const

export const catalogComponents: readonly Route[] = [
  route({
    ...fixed,
    path: '/catalog/components',
    summary: 'List what can be installed into clusters',
    description:
      'The same for every organization. The values that each takes are in GET /catalog/components/{componentID}.',
    reply: t.Array(Listed),
    handle: async () => components.map(show),
  }),

  route({
    ...fixed,
    path: '/catalog/components/:componentID',
    summary: 'One component, and the values that it takes',
    description:
      'Values are described as a JSON Schema; those that are left out have its defaults when the component is installed.',
    params: t.Object({
      componentID: t.String({ description: 'as GET /catalog/components names it', examples: [componentExample.id] }),
    }),
    reply: Whole,
    handle: async ({ params: { componentID } }) => {
      const found = componentFound(componentID)
      return { ...show(found), clouds: [...found.clouds], values: schemaOf(found.values) }
    },
  }),
]
