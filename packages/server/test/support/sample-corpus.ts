/** A corpus small enough to be indexed in a second, with names that need care. */
export const sampleFiles = {
  'corpus.json': JSON.stringify({
    name: 'The Test Kitchen',
    description: 'Papers of a kitchen that exists in tests only',
    documents: 'papers',
  }),
  'papers/pets.txt':
    'Pets\n\nDogs are welcome on the terrace and in the front room, on a lead. Please ask the staff for a bowl of water.\n',
  'papers/wifi.txt':
    'Wireless network\n\nThe password of the guest network is printed on the back of the receipt and changes every Monday.\n',
  'papers/menus/spring menu.txt':
    'Spring menu\n\nNettle soup with sourdough, 6.50. Asparagus tart with a green salad, 9.20. Rhubarb fool, 4.80.\n',
  'papers/menus/Über (50%)!.md':
    '# Über uns\n\nDas Café wurde 1987 von zwei Schwestern gegründet. Tea and cake — „ganz wie daheim“. 🫖\n',
  'papers/opening-hours.txt':
    'Opening hours\n\nWe open at eight in the morning from Tuesday to Sunday, and close at six. Mondays we are closed.\n',
};

/** Names of its documents, sorted. */
export const sampleNames = [
  'menus/spring menu.txt',
  'menus/Über (50%)!.md',
  'opening-hours.txt',
  'pets.txt',
  'wifi.txt',
];
