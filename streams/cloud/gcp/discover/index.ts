/** All finders, in chains: later finders of a chain depend on results of earlier ones. */
import { addressFinder, diskFinder, groupFinder, instanceFinder, ruleFinder, snapshotFinder } from './compute.ts'
import type { Finder } from './finder.ts'
import {
  bucketFinder,
  databaseFinder,
  datasetFinder,
  hadoopFinder,
  kubernetesFinder,
  workbenchFinder,
} from './service.ts'
import { afterDisks, alone } from './listed/index.ts'

/** The longest chain first. */
export const chains: readonly (readonly Finder[])[] = [
  [kubernetesFinder, groupFinder, instanceFinder, hadoopFinder, diskFinder, ...afterDisks],
  [snapshotFinder, ruleFinder, addressFinder],
  [databaseFinder],
  [bucketFinder],
  [datasetFinder],
  [workbenchFinder],
  ...alone.map((one) => [one]),
]

/** Types that other finders must see first, for these to find anything or to know the owners. */
export const prerequisiteTypes: Readonly<Record<string, readonly string[]>> = {
  'gcp-gke-pod': ['gcp-gke'],
  'gcp-mig': ['gcp-gke'],
  'gcp-vm': ['gcp-gke'],
  'gcp-dataproc': ['gcp-vm'],
  'gcp-disk': ['gcp-vm'],
  'gcp-image': ['gcp-disk'],
}
