/** Whether what steps do can be taken back. */
export const undoText = ({ steps }: { steps: readonly { reversible: boolean }[] }): string =>
  steps.every(({ reversible }) => reversible)
    ? 'The change can be undone manually; Tidemark does not revert it automatically.'
    : 'The change CANNOT be undone.'
