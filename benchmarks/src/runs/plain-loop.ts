/** Name of the plain loop's turns and rows: the loop that anybody would write first, without Kettle. */
export const loop = 'plain loop';
