import { t } from '#engine/value/schema.ts'
import { some, text } from '#streams/cloud/gcp/answer/field.ts'
import { listType, usualMembers, pagesInEach, regionOf, uidIn } from '#streams/cloud/gcp/discover/listed.ts'
import { regionNames } from '#streams/cloud/gcp/discover/scoped.ts'
import { timeOf } from '#streams/cloud/gcp/map/resource.ts'
import { lastOf } from '#streams/cloud/gcp/resource-path.ts'

const Environment = t.Object({
  ...usualMembers,
  config: some({ environmentSize: text, softwareConfig: some({ imageVersion: text }) }),
})

export const composerEnvironments = listType(
  pagesInEach(
    regionNames,
    (project, region) => ({
      service: 'composer',
      path: `/projects/${project}/locations/${region}/environments`,
      permission: 'composer.environments.list',
    }),
    'environments',
    Environment,
  ),
  {
    type: 'gcp-composer',
    permissions: ['composer.environments.list', 'compute.regions.list'],
    uid: ({ name }, place) => uidIn('composer', name, place),
    fields: ({ name, labels }) => ({ name: lastOf(name), region: regionOf(name), labels }),
    specs: {
      created_at: ({ createTime }) => timeOf(createTime),
      state: ({ state }) => state,
      size: ({ config }) => config?.environmentSize?.replace('ENVIRONMENT_SIZE_', ''),
      image_version: ({ config }) => config?.softwareConfig?.imageVersion,
    },
  },
)
