/** The job that drops what is kept for a time only. */
import { dropExports } from '#actors/export/change.ts'
import type { JobWork, Tools } from '#actors/tools.ts'

export const retention =
  ({ em, exportsFolder, now }: Pick<Tools, 'em' | 'exportsFolder' | 'now'>): JobWork =>
  (_run, { orgId }) =>
    dropExports(em(), exportsFolder, orgId, now())
