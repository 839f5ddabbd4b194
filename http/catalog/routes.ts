/** Routes of spaces, provisioning and the catalog. Paths without an id come before those with one. */
import { catalogComponents } from '#http/catalog/component.ts'
import { connections } from '#http/catalog/connection.ts'
import { databases } from '#http/catalog/database.ts'
import { jobs } from '#http/catalog/job.ts'
import { provisioningPreviews } from '#http/catalog/preview.ts'
import { spaces } from '#http/catalog/space.ts'
import type { Route } from '#http/edge/route.ts'

export const provisioning: readonly Route[] = [
  ...spaces,
  ...provisioningPreviews,
  ...jobs,
  ...databases,
  ...connections,
  ...catalogComponents,
]
