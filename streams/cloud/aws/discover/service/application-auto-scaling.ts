import type { ServiceNamespace } from '@aws-sdk/client-application-auto-scaling'
import { listOf } from '#streams/cloud/aws/map/resource.ts'
import type { RegionScan } from '#streams/cloud/aws/discover/finder.ts'

/** What of a service scales by itself, as Application Auto Scaling names it; undefined if it may not be asked. */
export const scaledIn = (place: RegionScan, of: ServiceNamespace): Promise<ReadonlySet<string> | undefined> =>
  place.more('scaling', async () => {
    const answers = place.pages(
      'application-auto-scaling',
      (m, NextToken) => new m.DescribeScalableTargetsCommand({ ServiceNamespace: of, ...(NextToken && { NextToken }) }),
      ({ NextToken }) => NextToken,
    )
    const found = new Set<string>()
    for await (const { ScalableTargets } of answers)
      for (const { ResourceId } of listOf(ScalableTargets)) if (ResourceId) found.add(ResourceId)
    return found
  })
