/** The catalog: what can be installed into clusters (decision G-89). */
import { componentCategories, components } from '#actors/catalog/components/load.ts'
import { t, type TObject } from '#engine/value/schema.ts'
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

const ComponentSummary = t.Object(members, { title: 'CatalogComponent', examples: [componentExample] })

const ComponentDetail = t.Object(
  {
    ...members,
    clouds: t.Array(t.String(), { description: 'clouds whose clusters support it' }),
    values: t.Unknown({
      description: 'JSON schema of the installation values, with their defaults',
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
        description: 'Routes external requests to services of the cluster.',
        clouds: ['aws', 'gcp', 'azure'],
        values: { type: 'object', properties: { replicas: { type: 'integer', default: 2 } } },
      },
    ],
  },
)

type Component = (typeof components)[number]
const show = ({ id, name, category, version, description }: Component) => ({ id, name, category, version, description })

const schemaOf = (values: TObject): Record<string, unknown> => ({ ...values })

const routeBase = { tags: ['Catalog'], permission: 'provisioning.view', method: 'GET' } as const

export const catalogComponents: readonly Route[] = [
  route({
    ...routeBase,
    path: '/catalog/components',
    summary: 'List the components that can be installed into clusters',
    description:
      'The same for every organization. For the values of a component use GET /catalog/components/{componentID}.',
    reply: t.Array(ComponentSummary),
    handle: async () => components.map(show),
  }),

  route({
    ...routeBase,
    path: '/catalog/components/:componentID',
    summary: 'Get a component and its values',
    description: 'A JSON Schema describes the values; omitted values get their defaults on installation.',
    params: t.Object({
      componentID: t.String({ description: 'as in GET /catalog/components', examples: [componentExample.id] }),
    }),
    reply: ComponentDetail,
    handle: async ({ params: { componentID } }) => {
      const found = componentFound(componentID)
      return { ...show(found), clouds: [...found.clouds], values: schemaOf(found.values) }
    },
  }),
]
