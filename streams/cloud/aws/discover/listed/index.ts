/** The types of resources that one value each describes. */
import type { ListedFinder } from '#streams/cloud/aws/discover/listed.ts'
import { kinesisStreams } from './analytics/kinesis.ts'

export const listedTypes: readonly ListedFinder[] = [kinesisStreams]

export const regionalTypes = listedTypes.filter(({ scope }) => scope === 'region')
export const globalTypes = listedTypes.filter(({ scope }) => scope === 'global')
