/** All finders, in chains: what is found later in a chain hangs on what was found before. */
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

/** The longest first. */
export const chains: readonly (readonly Finder[])[] = [
  [kubernetesFinder, groupFinder, instanceFinder, hadoopFinder, diskFinder],
  [snapshotFinder, ruleFinder, addressFinder],
  [databaseFinder],
  [bucketFinder],
  [datasetFinder],
  [workbenchFinder],
]

/** What other finders have to have seen for these to find anything, or to say whose it is. */
export const prerequisiteTypes: Readonly<Record<string, readonly string[]>> = {
  'gcp-gke-pod': ['gcp-gke'],
  'gcp-mig': ['gcp-gke'],
  'gcp-vm': ['gcp-gke'],
  'gcp-dataproc': ['gcp-vm'],
}
