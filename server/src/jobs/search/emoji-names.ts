/** Each emoji with the words that prompts use for it. */
const names = `
🦊fox 🐶dog,puppy 🐕dog 🐩poodle,dog 🐱cat,kitten 🐈cat 🐺wolf 🦁lion 🐯tiger 🐅tiger 🐆leopard 🐴horse 🐎horse 🦄unicorn 🦓zebra 🦌deer 🐮cow 🐄cow 🐂ox,bull 🐃buffalo 🐷pig 🐖pig 🐗boar 🐏ram 🐑sheep 🐐goat
🐪camel 🐫camel 🦙llama 🦒giraffe 🐘elephant 🦣mammoth 🦏rhino,rhinoceros 🦛hippo,hippopotamus 🐭mouse 🐁mouse 🐀rat 🐹hamster 🐰rabbit,bunny 🐇rabbit 🐿squirrel 🦫beaver 🦔hedgehog 🦇bat 🐻bear 🐨koala 🐼panda 🦥sloth 🦦otter 🦨skunk 🦘kangaroo 🦡badger
🐵monkey 🐒monkey 🦍gorilla 🦧orangutan 🦝raccoon 🐔chicken,hen 🐓rooster 🐣chick 🐤chick 🐦bird 🐧penguin 🕊dove,pigeon 🦅eagle 🦆duck 🦢swan 🦉owl 🦤dodo 🦩flamingo 🦚peacock 🦜parrot 🪶feather 🐸frog 🐊crocodile 🐢turtle,tortoise 🦎lizard 🐍snake 🐲dragon 🐉dragon 🦕dinosaur 🦖dinosaur
🐳whale 🐋whale 🐬dolphin 🦭seal 🐟fish 🐠fish 🐡fish,blowfish 🦈shark 🐙octopus 🐚shell 🪸coral 🐌snail 🦋butterfly 🐛caterpillar,bug 🐜ant 🐝bee 🪲beetle 🐞ladybug,ladybird 🦗cricket 🕷spider 🕸web 🦂scorpion 🦟mosquito 🪰fly 🪱worm 🦀crab 🦞lobster 🦐shrimp 🦑squid
💐bouquet,flowers 🌸blossom,cherry 🌹rose 🥀rose 🌺hibiscus,flower 🌻sunflower 🌼flower,daisy 🌷tulip 🌱seedling,sprout 🪴plant 🌲tree,evergreen,pine 🌳tree 🌴palm 🌵cactus 🌾wheat,rice 🌿herb 🍀clover 🍁maple,leaf 🍂leaf,autumn 🍃leaf,wind 🍄mushroom
🍇grapes 🍈melon 🍉watermelon 🍊orange,tangerine 🍋lemon 🍌banana 🍍pineapple 🥭mango 🍎apple 🍏apple 🍐pear 🍑peach 🍒cherry,cherries 🍓strawberry 🫐blueberry,blueberries 🥝kiwi 🍅tomato 🥥coconut 🥑avocado 🍆aubergine,eggplant 🥔potato 🥕carrot 🌽corn 🌶pepper,chili 🥒cucumber 🥦broccoli 🧄garlic 🧅onion 🥜peanut
🍞bread 🥐croissant 🥖baguette 🥨pretzel 🥞pancake 🧇waffle 🧀cheese 🍖meat 🥩steak 🥓bacon 🍔burger,hamburger 🍟fries 🍕pizza 🌭hotdog 🥪sandwich 🌮taco 🌯burrito 🥚egg 🍳egg 🍲stew,pot 🥗salad 🍿popcorn 🍱bento 🍚rice 🍜noodles,ramen 🍝spaghetti,pasta 🍣sushi 🍦icecream 🍩donut,doughnut 🍪cookie 🎂cake,birthday 🍰cake 🧁cupcake 🥧pie 🍫chocolate 🍬candy 🍭lollipop 🍯honey
🥛milk 🍼bottle ☕coffee,cup 🫖teapot 🍵tea 🍶sake 🍾champagne 🍷wine 🍸cocktail 🍹cocktail 🍺beer 🍻beer 🥃whisky,whiskey 🍽plate 🔪knife 🏺vase,amphora
🌍earth,globe 🌎earth,globe 🌏earth,globe 🗺map 🏔mountain 🗻mountain,fuji ⛰mountain 🌋volcano 🏕camping,tent ⛺tent 🏖beach 🏜desert 🏝island 🏞park,landscape 🏟stadium 🏛temple,building 🏗crane,construction 🧱brick,wall 🏘houses 🏚house 🏠house 🏡house,garden 🏢office,building 🏥hospital 🏦bank 🏨hotel 🏫school 🏭factory 🏯castle 🏰castle 💒wedding 🗼tower 🗽statue,liberty ⛪church 🕌mosque 🛕temple 🕍synagogue ⛩shrine ⛲fountain 🌁fog 🌃night,city 🏙city,skyline 🌄sunrise,mountain 🌅sunrise,sea 🌆city,dusk 🌇sunset 🌉bridge 🎠carousel 🎡ferris,wheel 🎢rollercoaster 🎪circus
🚂train,locomotive 🚄train 🚆train 🚇metro,subway 🚋tram 🚌bus 🚑ambulance 🚒fire,engine 🚓police 🚕taxi 🚗car 🚙car 🏎car,racing 🏍motorcycle 🛵scooter 🚲bicycle,bike 🛴scooter 🚚truck 🚜tractor ⚓anchor ⛵sailboat,boat 🛶canoe 🚤boat 🛳ship 🚢ship ✈plane,airplane 🛩plane 🚁helicopter 🚀rocket 🛸ufo,spaceship 🛰satellite 🎈balloon ⛽fuel 🚦light
⌚watch ⏰clock ⏳hourglass 🌑moon 🌒moon 🌓moon 🌔moon 🌕moon 🌖moon 🌙moon 🌜moon 🌝moon ☀sun 🌞sun 🪐planet,saturn ⭐star 🌟star 🌠star,shooting 🌌galaxy,stars ☁cloud ⛅cloud,sun 🌧rain 🌨snow 🌩lightning 🌪tornado 🌫fog 🌬wind 🌈rainbow ☂umbrella ☔umbrella,rain ⚡lightning ❄snowflake,snow ☃snowman ⛄snowman ☄comet 🔥fire,flame 💧drop,water 🌊wave,sea,ocean
🎃pumpkin,halloween 🎄christmas,tree 🎆fireworks 🎇fireworks,sparkler ✨sparkles 🎉party 🎁gift,present 🎀ribbon,bow 🏆trophy 🏅medal ⚽football,soccer ⚾baseball 🏀basketball 🏐volleyball 🏈football 🎾tennis 🎳bowling ⛳golf ⛸skate 🎣fishing 🎿ski 🛷sled 🎯target,dart 🎱billiard 🔮crystal,ball 🎮game 🎲dice 🧩puzzle 🧸teddy,bear ♟chess,pawn 🃏joker,card 🎭theatre,mask 🖼image,frame,painting 🎨palette,paint,art 🧵thread 🧶yarn
👓glasses 🕶sunglasses 👔shirt,tie 👕shirt 👖jeans,trousers 🧣scarf 🧤gloves 🧥coat 🧦socks 👗dress 👘kimono 👙bikini 👜handbag,bag 🎒backpack 👟sneaker,shoe 👠heel,shoe 👢boot 👑crown 👒hat 🎩hat 🎓graduation,cap 💄lipstick 💍ring 💎diamond,gem 🎼music 🎤microphone 🎧headphones 📻radio 🎷saxophone 🎸guitar 🎹piano,keyboard 🎺trumpet 🎻violin 🥁drum 📱phone 📞telephone 💻laptop,computer 🖥computer 🖨printer ⌨keyboard 💾disk 📷camera 📸camera 🎥camera,film 📺television 🔍magnifier 🕯candle 💡bulb,lamp 🔦torch,flashlight 🏮lantern 📖book 📚books 📰newspaper 💰money 🪙coin ✉letter,envelope 📦box,parcel ✏pencil 🖋pen 🖌brush 📎paperclip ✂scissors 🔒lock 🔑key 🔨hammer 🪓axe ⚔swords,sword 🗡dagger,sword 🏹bow,arrow 🛡shield ⚙gear 🧲magnet 🪜ladder ⚗alembic 🧪tube 🔬microscope 🔭telescope 💉syringe 🚪door 🪞mirror 🪟window 🛏bed 🛋sofa,couch 🪑chair 🚿shower 🛁bath,bathtub 🧹broom 🧺basket ⚰coffin 🗿statue,moai 🏴flag,pirate 🏳flag
😀smile,face 😂laugh,tears 😊smile 😍love,heart 😎cool,sunglasses 😭crying,tears 😡angry 😱scream,fear 😴sleeping 🤖robot 👻ghost 👽alien 👾monster 💀skull 🤡clown 👹ogre,monster 👺goblin 😈devil 💩poop 💋kiss,lips ❤heart,love 💔heart 💙heart 💚heart 💛heart 💜heart 🖤heart 👁eye 👀eyes 👂ear 👃nose 👄mouth,lips 🧠brain 🦷tooth 🦴bone 👋hand,wave 👍thumb 👏clapping,hands 💪muscle,arm 🙏hands,praying 👣footprints 👶baby 🧒child 👦boy 👧girl 👨man 👩woman 🧓old 👴man,old 👵woman,old 👮police 🕵detective 👷worker 🤴prince 👸princess 🧙wizard,mage 🧚fairy 🧛vampire 🧜mermaid 🧝elf 🧞genie 🧟zombie 🎅santa 🥷ninja 💃dancer,dancing 🕺dancer,dancing 🏃runner,running 🚶walking 🧘yoga,meditation 🏄surfer,surfing 🏊swimmer,swimming 🚴cyclist,cycling 🏇jockey 🤺fencing 👪family 👫couple 🗣speaking
`;

const byEmoji: ReadonlyMap<string, readonly string[]> = new Map(
  [...names.matchAll(/(\p{Extended_Pictographic})([a-z,]+)/gu)].map(([, emoji = '', words = '']) => [
    emoji,
    words.split(','),
  ]),
);

/** The English names of an emoji. An unlisted emoji has no names, so only a search for the emoji itself finds it. */
export function emojiNames(emoji: string): readonly string[] {
  return byEmoji.get(emoji) ?? [];
}
