import { t } from '#engine/value/schema.ts'
import { aggregatedListOf, commonFields, Template } from '#streams/cloud/gcp/answer/compute.ts'
import { text } from '#streams/cloud/gcp/answer/field.ts'
import { listOf, scopes } from '#streams/cloud/gcp/discover/compute.ts'
import { also, listType, onceIn } from '#streams/cloud/gcp/discover/listed.ts'
import { inProject, pathAs } from '#streams/cloud/gcp/discover/scoped.ts'
import { numberOf, timeOf } from '#streams/cloud/gcp/map/resource.ts'
import { pathIn } from '#streams/cloud/gcp/resource-path.ts'

const Image = t.Object({
  ...commonFields,
  status: text,
  family: text,
  diskSizeGb: text,
  archiveSizeBytes: text,
})
const imagesIn = inProject('images', Image)

/** The images that templates name, by path; of a family, the path of the family. Undefined if they may not be listed. */
const imagesOfTemplates = onceIn((place) =>
  also(place, 'compute.instanceTemplates.list', async () => {
    const answers = place.pages(listOf(place, 'instanceTemplates'), aggregatedListOf('instanceTemplates', Template))
    const found: string[] = []
    for await (const page of scopes<Template>(answers, 'instanceTemplates', () => {}))
      for (const { properties } of page.flatMap(({ items }) => items))
        for (const { initializeParams } of properties?.disks ?? [])
          found.push(pathIn(initializeParams?.sourceImage) ?? '')
    return found
  }),
)

/** Found after disks, which say what they were made from. */
export const images = listType(imagesIn, {
  type: 'gcp-image',
  permissions: ['compute.images.list', 'compute.instanceTemplates.list'],
  detail: async (image, place) => {
    const { imagesOfDisks } = place.known
    const named = imagesOfDisks && (await imagesOfTemplates(place))
    if (!named) return undefined
    const family = image.family && `projects/${place.project}/global/images/family/${image.family}`
    const path = pathAs('images')(image)
    return (imagesOfDisks.get(path) ?? 0) + named.filter((one) => one === path || one === family).length
  },
  uid: pathAs('images'),
  fields: ({ name, labels, diskSizeGb }) => ({ name, region: 'global', labels, sizeGB: numberOf(diskSizeGb) }),
  specs: {
    created_at: ({ creationTimestamp }) => timeOf(creationTimestamp),
    state: ({ status }) => status,
    family: ({ family }) => family ?? null,
    in_use_count: (_, uses) => uses,
  },
})
